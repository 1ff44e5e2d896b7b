"""Chinese and Japanese phrases of time, which stand in a text without spaces around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, NamedTuple

from hookclaw_py.regex import regex
from hookclaw_py.temporal.spans import Cycle, day_span, month_span


class HanPiece(NamedTuple):
    """What a stretch of text says: ``kind`` and ``value`` are those of a token."""

    kind: str
    value: Any
    start: int
    end: int


LETTERS = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
LETTER = regex(f"[{LETTERS}]")
_NUMBERS = {c: n for n, c in enumerate("〇一二三四五六七八九十")} | {"两": 2, "兩": 2, "几": 3, "幾": 3, "数": 3}
_UNITS = {
    **dict.fromkeys(("天", "日"), "day"),
    **dict.fromkeys(("周末", "週末"), "weekend"),
    **dict.fromkeys(("周", "週", "星期", "礼拜"), "week"),
    **dict.fromkeys(("小时", "小時", "時間"), "hour"),
    **dict.fromkeys(("分钟", "分"), "minute"),
    "月": "month",
    "季度": "quarter",
    "年": "year",
}
_DAYS = {
    **dict.fromkeys(("大前天",), -3),
    **dict.fromkeys(("前天", "前晚", "一昨日", "おととい"), -2),
    **dict.fromkeys(("昨天", "昨日", "昨早", "昨晚", "昨夜", "昨儿", "昨兒", "きのう"), -1),
    **dict.fromkeys(("今天", "今日", "今早", "今晨", "今晚", "今朝", "今夜", "今儿", "今兒", "きょう"), 0),
    **dict.fromkeys(("明天", "明日", "明早", "明晚", "明儿", "明兒", "あした"), 1),
    **dict.fromkeys(("大后天", "大後天"), 3),
    **dict.fromkeys(("后天", "後天"), 2),
}
_PARTS = {"初め": 0, "はじめ": 0, "初": 0, "上旬": 0, "中旬": 1, "下旬": 2, "底": 2, "末": 2}
_FEASTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("大年三十", "年三十", "除夕"), ("feast", 2, -1)),
    **dict.fromkeys(("大年初一", "春节", "春節"), ("feast", 2, 0)),
    **dict.fromkeys(("元宵节", "元宵節"), ("feast", 2, 14)),
    **dict.fromkeys(("端午节", "端午節", "端午"), ("feast", 3, 0)),
    **dict.fromkeys(("中秋节", "中秋節", "中秋"), ("feast", 4, 0)),
    **dict.fromkeys(("清明节", "清明節", "清明"), ("feast", 5, 0)),
    **dict.fromkeys(("复活节", "復活節", "イースター"), ("feast", 0, 0)),
    **dict.fromkeys(("感恩节", "感恩節"), ("feast", 1, 0)),
    **dict.fromkeys(("元旦", "元日"), (1, 1)),
    **dict.fromkeys(("情人节", "バレンタインデー"), (2, 14)),
    **dict.fromkeys(("妇女节", "婦女節"), (3, 8)),
    **dict.fromkeys(("劳动节", "勞動節", "五一节", "五一假"), (5, 1)),
    **dict.fromkeys(("儿童节", "兒童節"), (6, 1)),
    **dict.fromkeys(("教师节", "教師節"), (9, 10)),
    **dict.fromkeys(("国庆节", "國慶節", "国庆"), (10, 1)),
    **dict.fromkeys(("万圣节", "萬聖節"), (10, 31)),
    **dict.fromkeys(("双十一", "雙十一", "双11"), (11, 11)),
    **dict.fromkeys(("双十二", "雙十二", "双12"), (12, 12)),
    **dict.fromkeys(("平安夜", "クリスマスイブ"), (12, 24)),
    **dict.fromkeys(("圣诞节", "聖誕節", "圣诞", "クリスマス"), (12, 25)),
    **dict.fromkeys(("大晦日",), (12, 31)),
}


_HALF = "[上下]半年"
_LARGEST_SHARE = 10  # "3/4" is none of the days


def _unit(which: str) -> str:
    """Return a pattern for a unit and what of it is meant: "周末", "周五", "月底"."""
    return (
        rf"(?P<{which}unit>[周週]末|周|週|星期|礼拜|月|季度|年)"
        rf"(?:(?<=[周週期拜])(?P<{which}day>[一二三四五六日天](?![\d])))?(?:(?<=[月年])年?(?P<{which}part>[初底末])|(?<=年)(?P<{which}half>{_HALF}))?"
    )


_N = "(?:\\d{1,2}|[〇一二三四五六七八九十两兩几幾数]{1,3})"
_COUNTED = "|".join(unit if unit != "月" else "(?<=[个個ヶかカケ])月" for unit in _UNITS)  # "12月前" is before December
_TEENS = "(?:[二三]?十[一二三四五六七八九]|[二三]十)"
TIME = regex(
    rf"""
      (?P<y>\d{{4}})年(?:(?P<yhalf>{_HALF})|(?P<ym>\d{{1,2}})月(?:(?P<yd>\d{{1,2}})[日号號])?)?
    | (?P<ago>{_N}|半(?=[年个個]))(?:个|個|ヶ|か|カ|ケ)?(?P<agounit>{_COUNTED})[间間]?(?:钟|鐘)?[之以]?(?:前|(?P<hence>[后後])(?![来來悔面门門院台期续續]))
    | [这這](?P<these>[几幾两兩])(?:个|個)?(?P<theseunit>天|日|周|週|星期|礼拜|月)
    | (?P<half>{_HALF})
    | (?<![\d/.])(?P<slash>\d{{1,2}})/(?P<slashday>\d{{1,2}})(?![\d/.%])[日号號]?
    | (?P<past>过去|過去|最近|ここ|前(?=[几幾]))的?(?P<pastn>{_N})(?:个|個|ヶ|か)?(?P<pastunit>{"|".join(_UNITS)})
    | 第(?P<quarter>[一二三四1-4])(?:季度|四半期)
    | (?P<m>{_N})月(?:(?P<d>{_N})[日号號]|(?P<mpart>{"|".join(_PARTS)})|(?P<bareday>{_TEENS})(?![〇一二三四五六七八九十多几幾来个個天年月周点點分万亿元块塊人次岁歲%]))?
    | (?<![第\d〇一二三四五六七八九十百两兩])(?P<dayofmonth>\d{{1,2}}(?=[号號日])|(?:{_TEENS}|[一二三四五六七八九十])(?=[号號]))[号號日](?![\d线線楼樓馆館室店院门門电電机機车車球员員码碼桌位房间間元本目])
    | (?!清明上河)(?P<feast>{"|".join(_FEASTS)})
    | (?P<beforelast>上上(?:个|個)?(?=[周週星礼月季])|先々(?=[週月])|一昨(?=年)|(?<![\d〇一二三四五六七八九十两兩几幾以之目])前(?=年(?!轻|輕))){_unit("beforelast")}
    | (?P<afternext>下下(?:个|個)?(?=[周週星礼月季])|再来(?=[週月])|(?<![\d〇一二三四五六七八九十两兩几幾年之以])[后後](?=年(?!代))){_unit("afternext")}
    | (?P<last>上一?(?:个|個)?(?=[周週星礼月季])|先(?=[週月])|去(?=年)|昨(?=年)){_unit("last")}
    | (?P<this>[这這本](?:个|個)?(?=[周週星礼月季])|今(?=[週月年])){_unit("this")}
    | (?P<next>下一?(?:个|個)?(?=[周週星礼月季])|来(?=[週月年])|明(?=年)){_unit("next")}
    | (?:周|週|星期|礼拜)(?P<weekday>[一二三四五六日天])|(?P<youbi>[月火水木金土日])曜日?
    | (?<=年)の?(?P<season>[春夏秋冬])[天季]?
    | (?P<weekend>[周週]末)
    | (?<![以之目明])(?P<day>{"|".join(_DAYS)})
    """,
    re.VERBOSE,
)


def pieces(chunk: str) -> Iterator[HanPiece]:
    """Yield what ``chunk`` says of time, and "noise" for what stands between."""
    at = 0
    for match in TIME.finditer(chunk):
        if chunk[at : match.start()] not in ("", "の", "的"):
            yield HanPiece("noise", None, 0, 0)
        at = match.end()
        for kind, value in _reading({k: v for k, v in match.groupdict().items() if v is not None}):
            yield HanPiece(kind, value, match.start(), at)
    if at < len(chunk):
        yield HanPiece("noise", None, 0, 0)


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_NUMBERS.get(tens, 1) * 10 if ten else 0) + _NUMBERS.get(ones, 0)


Read = tuple[str, Any]
NOISE: Read = ("noise", None)


def _reading(found: dict[str, str]) -> Iterator[Read]:
    """Yield what a match says, by the first of its groups that has a reading."""
    name = next((name for name in _READINGS if name in found), "")
    yield from _READINGS[name](found) if name else _relative(found)


def _of_a_year(found: dict[str, str]) -> list[Read]:
    year, month, day = (int(found.get(name, 0)) for name in ("y", "ym", "yd"))
    if "yhalf" in found:
        return [("span", month_span(year, 1 if found["yhalf"][0] == "上" else 7, 6))]
    try:
        return [("span", day_span(date(year, month, day)) if day else month_span(year, month or 1, 1 if month else 12))]
    except ValueError:  # no such day
        return [NOISE]


def _of_a_month(found: dict[str, str]) -> list[Read]:
    month, day = _number(found["m"]), _number(found.get("d") or found.get("bareday", "0"))
    early: list[Read] = [("early", _PARTS[found["mpart"]])] if "mpart" in found else []
    if not (1 <= month <= 12 and day <= 31):
        return [*early, NOISE]
    return [*early, ("cycle", Cycle("date", month, day) if day else Cycle("month", month))]


def _day_of_month(found: dict[str, str]) -> list[Read]:
    day = _number(found["dayofmonth"])
    return [("cycle", Cycle("day", day)) if 1 <= day <= 31 else NOISE]


def month_and_day(month: int, day: int) -> Read:
    """Return what "10/21" says where the month stands first."""
    real = 1 <= month <= 12 and 1 <= day <= 31 and not month <= day <= _LARGEST_SHARE
    return ("cycle", Cycle("date", month, day)) if real else NOISE


def _half(written: str) -> list[Read]:
    return [("ordinal", 1 if written[0] == "上" else 2), ("half", None)]


def _weekday(written: str) -> Read:
    return "weekday", "一二三四五六日".index(written.replace("天", "日"))


def _relative(found: dict[str, str]) -> Iterator[Read]:
    """Yield what "last", "this" or "next" stands before."""
    which = next(name for name in ("beforelast", "last", "this", "next", "afternext") if name in found)
    if part := found.get(f"{which}part"):
        yield "early", 0 if part == "初" else 2
    if half := found.get(f"{which}half"):
        yield from _half(half)
    yield which, which
    yield "unit", _UNITS[found[f"{which}unit"]]
    if f"{which}day" in found:
        yield _weekday(found[f"{which}day"])


_READINGS: dict[str, Callable[[dict[str, str]], list[Read]]] = {
    "y": _of_a_year,
    "ago": lambda found: [
        ("number", 0.5 if found["ago"] == "半" else _number(found["ago"])),
        ("units", _UNITS[found["agounit"]]),
        ("hence", "后") if "hence" in found else ("ago", "前"),
    ],
    "past": lambda found: [
        ("past", "past"),
        ("number", _number(found["pastn"])),
        ("units", _UNITS[found["pastunit"]]),
    ],
    "these": lambda found: [
        ("these", None),
        ("number", _number(found["these"])),
        ("units", _UNITS[found["theseunit"]]),
    ],
    "half": lambda found: [*_half(found["half"]), ("this", "this"), ("unit", "year")],
    "slash": lambda found: [month_and_day(int(found["slash"]), int(found["slashday"]))],
    "quarter": lambda found: [("cycle", Cycle("quarter", _number(found["quarter"])))],
    "m": _of_a_month,
    "weekday": lambda found: [_weekday(found["weekday"])],
    "youbi": lambda found: [("weekday", "月火水木金土日".index(found["youbi"]))],
    "dayofmonth": _day_of_month,
    "feast": lambda found: [("fest", _FEASTS[found["feast"]])],
    "season": lambda found: [("cycle", Cycle("season", "春夏秋冬".index(found["season"])))],
    "weekend": lambda _: [("on", "on"), ("unit", "weekend")],
    "day": lambda found: [("dayword", _DAYS[found["day"]])],
}
