"""Mend 10: the gate stops the obvious and nothing else; row 16: protocol payloads are not prompts."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.stages.gate import BUILT_IN_PATTERNS, compile_patterns, skip_reason, without_politeness

NAMES = frozenset({"cobalt", "key rotation policy", "大阪", "a very long heading"})


def gated(text: str, *, min_chars: int = 20, names: frozenset[str] = frozenset(), patterns=BUILT_IN_PATTERNS) -> str:
    why = skip_reason(text, min_chars=min_chars, patterns=patterns, names=names)
    return why.sentence if why else ""


@pytest.mark.parametrize(
    "prompt",
    [
        "no, what did we decide about the log format?",
        "sure, what was the key rotation policy",
        "Thanks! And what about the auth bug?",
        "Create the deployment we discussed yesterday",
        "Help me remember the name of the plumber",
        "Reset tokens: how did we decide to store them?",
    ],
)
def test_real_questions_behind_politeness_or_a_command_word_pass(prompt):
    """Mend 10, its six examples."""
    assert gated(prompt) == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "ok so, which of the two vendors did Marta prefer?",
        "Hi there, what is the wifi password of the cabin?",
        "write a poem about our wedding in Lisbon",
        "tell me a joke about my dentist, please",
        "translate the sentence we agreed on to French",
        "what is 15% of what I said the rent was again?",
        "run the tests we skipped last Friday",
        "/think high and recall the retention rules",
        "please repeat what you told me about the visa",
        "Übersetze bitte, was wir gestern beschlossen haben",
        "Schreib mir, was in meiner letzten Notiz stand",
        "Qu'est-ce que nous avons décidé hier au sujet du logo ?",
        "¿Qué decidimos ayer sobre el contrato de alquiler?",
        "我们上次决定用哪个日志格式",
        "什么时候去看牙医比较好呢？",
        "что мы решили вчера насчёт ключей?",
        "前回の会議で決めたことを教えて",
        "NETSDK1005: what was the fix?",
        "make sure the nightly export works again on friday",
        "git workflow for the mobile team",
        "cargo bike insurance number for Tom",
        "cat food brand for the neighbour",
        "what's the date for the offsite?",
        "what's the definition of done",
        "define the retention policy for invoices",
        "/etc/nginx/nginx.conf breaks with the new certificate",
        "Today is a solid 3, and it is heavy",
        "2026-02-12 2026-02-14 10 11 12",
        "Planning to try the new place on the corner this weekend.",
        "translate the note about the boiler to English please",
    ],
)
def test_prompts_that_may_need_memory_pass(prompt):
    """Mend 10: a sign of recall overrides, and a pattern never swallows more than it says."""
    assert gated(prompt) == ""


@pytest.mark.parametrize(
    ("prompt", "which"),
    [
        ("Thank you so much, that's very helpful!", "small talk"),
        ("ok, sounds good, please continue", "small talk"),
        ("Yes please do that, go ahead!", "small talk"),
        ("Hello there, how are you doing today?", "small talk"),
        ("hello, nice to meet you!", "small talk"),
        ("Awesome job, that worked, thanks", "small talk"),
        ("muchas gracias por tu ayuda, perfecto", "small talk"),
        ("Vielen Dank, alles klar!!!", "small talk"),
        ("Merci beaucoup, très bien", "small talk"),
        ("большое спасибо, хорошо", "small talk"),
        ("非常感谢，好的，没问题，明白了", "small talk"),
        ("/compact keep the last part only", "slash command"),
        ("Write a poem about the sea", "verse or joke"),
        ("Hi! Can you please tell me a joke?", "verse or joke"),
        ("give me three short haikus about rain", "verse or joke"),
        ("translate 'good evening' into Spanish", "translation"),
        ("how do you say cheese in Italian?", "translation"),
        ("what's 12 percent of 340 plus 7?", "arithmetic"),
        ("calculate (17 + 4) * 3.5 / 2", "arithmetic"),
        ("how many ounces are in a pound?", "conversion"),
        ("please convert 5 miles to kilometers", "conversion"),
        ("how do you spell rhythm?", "meaning or spelling"),
        ("what's the meaning of serendipity?", "meaning or spelling"),
        ("what time is it in Tokyo right now?", "clock"),
        ("what time is it right now in New York?", "clock"),
        ("what's the weather in Lisbon tomorrow?", "weather"),
        ("flip a coin for me, heads or tails", "chance"),
        ("are you a robot or a human?", "about the assistant"),
        ("could you turn the volume up", "device"),
        ("rephrase your last answer in three sentences", "same conversation"),
        ("now make it a little shorter.", "same conversation"),
        ("Make it more formal, please.", "same conversation"),
        ("what's 'thank you' in Korean?", "translation"),
        ("run all the tests again please", "command"),
        ("commit the changes and push it", "command"),
        ("git commit -m 'fix the parser'", "shell"),
        ("npm run build --workspace web", "shell"),
    ],
)  # fmt: skip
def test_the_obvious_is_skipped_and_the_reason_says_which_pattern(prompt, which):
    assert gated(prompt) == f"matches skip pattern ({which})"


def test_a_name_that_the_store_knows_overrides_a_pattern():
    assert gated("Write a poem about Cobalt") == "matches skip pattern (verse or joke)"
    assert gated("Write a poem about Cobalt", names=NAMES) == ""
    assert gated("tell me a joke about the Key-Rotation policy", names=NAMES) == ""
    assert gated("tell me a joke about a very long heading", names=NAMES) == ""
    assert gated("Write a poem about Cobalt's first year", names=NAMES) == ""
    assert gated("Write a poem about copper", names=NAMES) != ""


@pytest.mark.parametrize("length", range(0, 25))
def test_a_prompt_is_short_below_the_limit_and_not_at_it(length):
    """Keep: skipShortPrompts, after trimming; equal length passes."""
    expected = f"prompt too short ({length} chars)" if length < 20 else ""
    assert gated(f"  {('?!' * 20)[:length]}\n") == expected


def test_a_wide_character_counts_three():
    assert gated("？" * 7) == ""
    assert gated("？" * 6) == "prompt too short (6 chars)"
    assert gated("", min_chars=0) == ""


@pytest.mark.parametrize(
    "question",
    [
        "who is my dentist?",
        "When was I born?",
        "what did we do?",
        "Ilse's phone?",
        "whats my blood type",
        "ok, wo war ich",
        "где мой ключ",
        "zeus's port?",
        "what's on tomorrow",
        "was steht morgen an",
        "qué tengo mañana",
        "明天有什么安排",
    ],
)
def test_a_short_question_with_a_sign_of_recall_is_no_small_talk(question):
    assert gated(question, names=frozenset({"ilses", "zeus"})) == ""


@pytest.mark.parametrize(
    "words",
    [
        "rent?",
        "E-41",
        "wifi password",
        "dentist phone",
        "Miete?",
        "wifi 密码",
        "who is Mara",
        "妈妈电话",
        "魏工是谁",
        "rc=5",
        "bin day",
        "which bin tomorrow",
    ],
)
def test_a_short_prompt_that_names_something_is_searched(words):
    """The store judges better than a length whether there is an answer."""
    assert gated(words) == ""


@pytest.mark.parametrize(
    "words", ["really?", "how are you?", "how do you do", "and then?", "go on", "ok cool", "why not", "好的"]
)
def test_a_short_prompt_that_names_nothing_is_not(words):
    assert gated(words) != ""


@pytest.mark.parametrize(
    "payload",
    [
        "NO_REPLY",
        "`HEARTBEAT_OK`",
        '{"tool": "exec", "result": "ok", "exit": 0}',
        json.dumps([{"a": 1}, {"b": [2, 3]}], indent=2),
        '```json\n{"note": "did we decide?"}\n```',
        '{"event": "start"}\n{"event": "stop"}',
        "<tool_result>\n<status>ok</status>\n</tool_result>",
        "[tool_result] exit code 0, 14 files written",
        "QUJD" * 40,
        "data:image/png;base64," + "iVBOR" * 40,
        "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----",
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1 if b else 2?\n+a = 2",
        "Traceback (most recent call last):\n  File \"x.py\", line 3, in f\n    g()\n  File \"x.py\", line 9, in g\nValueError: bad port",
        "2026-02-12 10:00:01 INFO start\n2026-02-12 10:00:02 WARN slow\n2026-02-12 10:00:03 ERROR already in use",
    ],
)  # fmt: skip
def test_machine_output_is_a_protocol_payload(payload):
    assert gated(payload, min_chars=5) == "protocol payload"


@pytest.mark.parametrize(
    "prompt",
    [
        "[note to self] what colour was the door?",
        "{placeholder} is still in the template, why?",
        '[1, 2, 3] and {"a": 1',
        "<p>which of the vendors did Marta prefer?</p>",
        "<user_query>how did we fix the login loop</user_query>",
        "```python\nprint(1)\n```",
        "diff --git a/x.py b/x.py\n+a = 2\n\nWhy did the linter complain here?",
        "ValueError: bad port\nhow did this go away last time\nplease look it up",
        "How do we read this one?\n2026-02-12 10:00:01 INFO start\n2026-02-12 10:00:02 WARN slow",
        "2026-02-12 10:00:01 INFO start",
        "```\n\n```  and more text here",
        "diff --git a/x.py b/x.py\n+a = 2\n\nplease finish it in the style that Marta likes",
        "Fix the import for me:\n2026-02-12 10:00:01 INFO a\n2026-02-12 10:00:02 WARN b\n2026-02-12 10:00:03 ERROR c",
        "2026-02-12 10:00:01 INFO a\n2026-02-12 10:00:02 WARN b\n2026-02-12 10:00:03 ERROR c\nput it right like Marta does",
        "[" * 60_000 + "]" * 60_000,
        "{" + "[" * 60_000 + "]" * 60_000 + "}",
    ],
)
def test_a_paste_with_a_question_or_half_a_payload_passes(prompt):
    assert gated(prompt) == ""


def test_an_empty_fence_is_not_a_payload():
    assert gated("```\n\n```", min_chars=3) == ""


def test_custom_patterns_replace_the_built_in_ones_and_case_does_not_count():
    patterns = compile_patterns(["^DEPLOY", "status$"])
    assert gated("Deploy the blue thing to staging", patterns=patterns) == "matches skip pattern (^DEPLOY)"
    assert gated("ok, deploy the blue thing to staging", patterns=patterns) == "matches skip pattern (^DEPLOY)"
    assert gated("deploy what we discussed to staging", patterns=patterns) == ""
    assert gated("Write a poem about the sea", patterns=patterns) == ""
    assert compile_patterns(None) is BUILT_IN_PATTERNS


def test_no_patterns_means_only_length_and_payloads_are_judged():
    assert gated("Write a poem about the sea", patterns=compile_patterns(())) == ""
    assert gated("Hello", patterns=compile_patterns([])) == "prompt too short (5 chars)"


def test_a_broken_pattern_is_refused():
    with pytest.raises(re.error):
        compile_patterns(["("])


def test_a_sign_of_recall_at_the_end_of_a_long_prompt_counts():
    story = "translate this to French: " + "le chat dort. " * 600
    assert gated(story) == "matches skip pattern (translation)"
    assert gated(story + "Do it in the tone we used last time") == ""


@given(st.text(), st.integers(0, 100))
def test_any_text_gets_an_answer_and_spaces_around_never_change_it(text, min_chars):
    reason = gated(text, min_chars=min_chars, names=NAMES)
    assert reason == gated(f" \n{text}\t ", min_chars=min_chars, names=NAMES)
    assert reason == "" or reason.startswith(("prompt too short (", "matches skip pattern", "protocol payload"))


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_whatever_asks_what_we_decided_passes(topic):
    assert gated(f"Thanks! What did we decide about {topic.strip()} then") == ""


@pytest.mark.parametrize(
    "unit",
    [
        "thanks again ",
        "{",
        "<a>",
        "at foo(\n",
        "A",
        "好",
        "git ",
        "1+",
        "ok, ",
        "what is 1 x ",
        "- \n",
        '{"a":1}\n',
        "can you ",
    ],
)
@pytest.mark.timeout(60)  # a quadratic step takes minutes
def test_a_megabyte_of_anything_is_judged_at_once(unit):
    text = (unit * (1_000_000 // len(unit)))[:1_000_000]
    gated(text, names=NAMES)
    gated(f"{text} §", names=NAMES)


@pytest.mark.parametrize(
    "said",
    [
        "Hi! {}",
        "Hi Claude, {}",
        "Good morning! Could you please {}",
        "{} Thanks!",
        "{} Thanks in advance!",
        "{} please",
        "Hey there, {} Cheers",
        "Hallo, {} Danke!",
        "你好，{} 谢谢",
    ],
)
def test_greetings_and_thanks_are_not_searched_for(said):
    asked = "what did we decide about the logging format?"
    assert without_politeness(said.format(asked)) == asked


@pytest.mark.parametrize(
    "prompt", ["Thanks!", "please", "Which thanks did Anna get?", "Say please", "the bounty is 300 dollars", "", "?"]
)
def test_what_is_said_stays_whole(prompt):
    kept = without_politeness(prompt)
    assert kept in prompt
    assert kept == prompt or prompt == "Say please"


@pytest.mark.parametrize(
    "prompt",
    [
        "buenas, aquí otra vez",
        "gute nacht, bis morgen",
        "hasta mañana, muchas gracias!",
        "merci mille fois, à demain",
        "太好了，谢谢",
        "帮我把这句话翻译成德语：今天天气很好",
        "traduce esto al inglés: el perro duerme",
        "Reim mir was auf Regenschirm",
        "escribe un poema corto sobre el mar",
    ],
)
def test_small_talk_and_errands_need_no_memory_in_other_languages_either(prompt):
    why = skip_reason(prompt, min_chars=20, patterns=BUILT_IN_PATTERNS, names=frozenset())
    assert why is not None


@pytest.mark.parametrize("prompt", ["schreib mir die Einkaufsliste", "bis wann läuft der Vertrag", "cuenta de la luz?"])
def test_what_begins_like_them_may_need_it(prompt):
    assert skip_reason(prompt, min_chars=0, patterns=BUILT_IN_PATTERNS, names=frozenset()) is None


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("why does the exporter fail here?", True),
        ("why does it?", True),
        ("why not?", False),
        ("why?", False),
        ("+ why does it fail?", False),
        ("为什么失败？", True),
    ],
)
def test_a_question_within_a_log_is_a_persons(line, *, passes):
    logged = "2026-02-01 10:00:0{} ERROR exporter failed"
    assert (gated("\n".join([logged.format(1), line, logged.format(2), logged.format(3)])) == "") is passes


def test_a_line_of_json_before_something_else_is_a_payload_and_half_of_one_is_not():
    assert gated('{"state": "failed", "code": 17}\n{"state": "done", "code": 0}')
    assert gated('{"state": "failed", "code": 17}\n{"state": "done", "code": }')
    assert gated('{\n"state": {"failed": true},\n"code": 17\n}')
    assert gated('{"state": "failed", "code": }\n{"state": "done", "code": 0}') == ""
