"""The one tokenizer: what is a word, what is an identifier, which words meet."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hookclaw_py.text import (
    STOP_WORDS,
    count_words,
    ends,
    fold,
    folding,
    guess_language,
    is_identifier,
    jaccard,
    raw_tokens,
    terms,
    terms_asked,
    tokens,
    words,
)

# Two spellings of one thing: each must give the other's terms.
SAME = [
    ("Zürich", "zurich"),
    ("Zu\u0308rich", "Zürich"),  # decomposed
    ("café", "CAFE"),
    ("Straße", "STRASSE"),
    ("ＮＥＴＳＤＫ１００５", "NETSDK1005"),  # full width
    ("ﾃｷｽﾄ", "テキスト"),  # half width
    ("ﬁle", "file"),  # ligature
    ("Kuber\u00adnetes", "kubernetes"),  # soft hyphen
    ("\ufeffdeploy\u200e", "deploy"),  # byte order and direction marks
    ("İstanbul", "istanbul"),
    ("απόφαση", "ΑΠΟΦΑΣΗ"),
    ("كِتَابٌ", "كتاب"),  # vowel points
    ("מֶלֶךְ", "מלך"),
    ("ёлка", "елка"),
    ("naïve", "naive"),
    ("Caroline's", "caroline"),
    ("Caroline’s", "Caroline"),
    ("iPhone", "iPhones"),
    ("GitHub's", "GitHub"),
    ("U.S.A.", "USA"),
    ("9 p.m.", "9 pm"),
    ("_important_", "important"),
    ("O’Brien", "O'Brien"),
    ("deployments", "deployment"),
    ("decided", "deciding"),
    ("APIs", "api"),
    ("JSONs", "json"),
    ("решение", "решили"),
    ("журнал", "журнале"),
    ("новый", "новая"),
    ("القرارات", "قرار"),
    ("फैसले", "फैसला"),
    ("🚀deploy🚀", "deploy"),
    ("**deploy**", "`deploy`"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_one_word_are_one_term(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))
    assert terms(one)


# A note's word, and what people type to find it.
MEETS = [
    ("NETSDK1005", ["netsdk1005", "netsdk", "1005", "NETSDK1005"]),
    ("src/auth.ts", ["src/auth.ts", "auth", "auth.ts", "SRC/AUTH.TS"]),
    ("--no-cache", ["--no-cache", "cache", "no-cache"]),
    ("v2.1.0", ["v2.1.0", "2.1.0", "v2"]),
    ("AuthService", ["authservice", "auth", "service", "AuthServices", "auth service"]),
    ("authServiceFactory.build()", ["authservicefactory", "factory", "build", "authServiceFactory.build"]),
    ("HTTPServer", ["http", "server", "httpserver"]),
    ("snake_case_name", ["snake_case_name", "snake", "name"]),
    ("YouTube", ["youtube", "YouTube"]),
    ("iPhone", ["iphone"]),
    ("NestJS", ["nestjs"]),
    ("OAuth2", ["oauth2", "OAuth2"]),
    ("#1005", ["1005", "#1005"]),
    ("@anna", ["anna", "@Anna"]),
    ("anna@example.com", ["anna", "anna@example.com"]),
    ("std::vector", ["vector", "std::vector"]),
    ("@scope/pkg", ["pkg", "@scope/pkg"]),
    ("~/notes/a.md", ["~/notes/a.md", "notes"]),
    ("../x/lib.py", ["../x/lib.py", "lib"]),
    ("/etc/hosts", ["/etc/hosts", "hosts"]),
    (r"C:\Users\anna", [r"c:\users\anna", "anna", "users"]),
    ("s3://bucket/key", ["s3://bucket/key", "bucket"]),
    ("https://example.com/docs?page=2.", ["https://example.com/docs?page=2", "docs", "example"]),
    ("C++ and C# and .NET", ["c++", "C#", ".net"]),
    ("ASP.NET", ["asp.net", "asp"]),
    ("10.0.0.1", ["10.0.0.1"]),
    ("2026-02-12", ["2026-02-12", "2026"]),
    ("port:8080", ["8080"]),
    ("long-term", ["long", "term", "Long-Term"]),
    ("end.Next sentence", ["next", "end"]),
    ("key=abc", ["key", "abc"]),
    ("l'authentification", ["authentification", "l’authentification"]),
    ("dell'applicazione", ["applicazione"]),
    ("日志格式", ["日志", "格式", "志格"]),
    ("猫", ["猫", "我的 猫"]),
    ("2024年", ["2024", "年"]),
    ("ไทย", ["ไทย"]),
    ("한국어", ["한국"]),
]


@pytest.mark.parametrize(("note", "prompts"), MEETS)
def test_an_identifier_is_found_whole_and_in_parts(note: str, prompts: list[str]) -> None:
    """Mend 2 and mend 9."""
    for prompt in prompts:
        assert set(terms(prompt)) & set(terms(note)), prompt


APART = [
    ("issue 1005", "1006"),
    ("C++", "C#"),
    ("2.1.0", "2.1.1"),
    ("format", "form"),
    ("日志", "格式"),
    ("🚀", "🎉"),
    ("йод", "иод"),
    ("and/or", "or"),
    ("https://a.example/x", "https://b.org/y"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_different_things_share_no_term(one: str, other: str) -> None:
    assert not set(terms(one)) & set(terms(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "🚀",
        "...",
        "----",
        "____",
        "_",
        "the and of",
        "don't",
        "let's",
        "\0",
        "it's",
        "\u0301",
        "whos who's wheres how's",
    ],
)
def test_texts_without_content_have_no_terms(text: str) -> None:
    assert list(terms(text)) == []


def test_the_terms_of_a_sentence() -> None:
    assert list(terms("The deploy script failed with NETSDK1005 on build, didn't it?")) == [
        *("deploy", "script", "fail"),
        *("netsdk1005", "netsdk", "1005", "build"),
    ]


def test_words_keep_everything_once_and_in_order() -> None:
    assert words("Don't deploy src/auth.ts to Zürich: 日志格式!") == [
        *("dont", "deploy", "src/auth.ts", "to", "zurich"),
        *("日志", "志格", "格式"),
    ]


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("the port - 9090, of Redis", 6),
        ("Käse & Brot", 3),
        ("王师傅住在南门。", 3),
        ("用 Redis，端口6379", 4),
        ("好的。", 1),
        ("你好 👋", 1),
        ("", 0),
    ],
)
def test_words_are_counted_with_blanks_and_without(said: str, count: int) -> None:
    assert count_words(said) == count


def test_identifiers_come_as_written() -> None:
    text = "Set API_KEY in src/auth.ts of AuthService's, v2.1.0, 3.5, #ops, U.S.A., the 2nd of 90s, /tmp/x and C++."
    found = [token for kind, token in raw_tokens(text) if kind == "identifier"]
    assert found == ["API_KEY", "src/auth.ts", "AuthService", "v2.1.0", "3.5", "#ops", "/tmp/x", "C++"]


@pytest.mark.parametrize(
    "word", ["deploy", "Deploy", "IMPORTANT", "APIs", "long-term", "don't", "2nd", "5pm", "e.g", "42", "end."]
)
def test_ordinary_words_are_not_identifiers(word: str) -> None:
    assert not is_identifier(word)


def test_two_prompts_in_another_script_are_told_apart() -> None:
    """Mend 9: ASCII-only tokens made any two Chinese, Japanese or Cyrillic prompts the same, and gave them no keywords."""
    for one, other in [
        ("日志格式是什么", "部署到哪里"),
        ("ログの形式", "デプロイ先"),
        ("формат журнала", "куда выкладываем"),
    ]:
        assert words(one)
        assert terms(one)
        assert jaccard(set(words(one)), set(words(other))) == 0
        assert jaccard(set(words(one)), set(words(one))) == 1


def test_two_empty_sets_are_not_alike() -> None:
    """Mend 9: two prompts without words are not the same prompt."""
    assert jaccard(set(), set()) == 0.0
    assert jaccard({"a"}, set()) == 0.0
    assert jaccard({"a", "b"}, {"b", "c"}) == pytest.approx(1 / 3)


def test_negation_stays_in_the_words() -> None:
    """Mend 8 needs it: "do not deploy" is another prompt than "deploy"."""
    assert "not" in words("do not deploy")
    assert "not" not in terms("do not deploy")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We decided to use structured logging", "english"),
        ("Wir haben uns gegen Kubernetes entschieden", "german"),
        ("Entscheidung Kubernetes", "german"),
        ("Büro Umzug", "german"),
        ("Nous avons choisi de garder la base", "french"),
        ("l'API du serveur", "french"),
        ("La decisión fue guardar los datos", "spanish"),
        ("configuración servidor", "spanish"),
        ("Abbiamo deciso di usare il registro", "italian"),
        ("migrazione database", "italian"),
        ("Nós decidimos usar o registro, mas não agora", "portuguese"),
        ("We hebben besloten om het niet te doen", "dutch"),
        ("deploy kubernetes", "english"),
        ("next bin day", "english"),
        ("bin ich versichert", "german"),
        ("", "english"),
        ("a b x y", "english"),
    ],
)
def test_the_language_of_a_text_is_guessed(text: str, language: str) -> None:
    assert guess_language(text.split()) == language


def test_the_same_word_meets_whatever_languages_were_guessed() -> None:
    note = "Die Migrationen und das Logging laufen über den Server in der Cloud, services und caches auch"
    for prompt in ("migrationen", "logging", "server", "cloud", "services", "caches"):
        assert guess_language([prompt]) == "english"
        assert set(terms(prompt)) <= set(terms(note))


def test_a_cyrillic_name_does_not_change_how_english_is_read() -> None:
    assert set(terms("the databases of Москва")) >= {"databas"}
    assert set(terms("Логи лежат в databases")) >= {"databas"}


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("how much is the rent?", ["rent"]),
        ("how many pots do i have", ["pot"]),
        ("wie viele Töpfe habe ich", ["topf"]),
        ("combien de pots avons-nous", ["pot"]),
        ("cuántos pisos hay", ["pis"]),
    ],
)
def test_what_one_asks_with_is_not_what_one_asks_for(asked: str, left: list[str]) -> None:
    assert set(left) <= set(terms(asked))
    assert not {"much", "mani", "viel", "combien", "cuanto"} & set(terms(asked))


def test_stop_words_are_as_the_tokenizer_makes_words() -> None:
    for language, stop in STOP_WORDS.items():
        for word in stop:
            assert words(word) == [word], language


def test_every_raw_token_has_a_kind() -> None:
    assert list(raw_tokens("see src/a.py 日志 now")) == [
        *(("word", "see"), ("identifier", "src/a.py")),
        *(("run", "日志"), ("word", "now")),
    ]


def test_a_hash_is_not_torn_into_noise() -> None:
    assert list(terms("53aa5117c9d8db0f3e21")) == ["53aa5117c9d8db0f3e21"]


def test_a_token_without_end_is_cut() -> None:
    assert list(terms("x" * 100_000 + " tail")) == ["x" * 256, "tail"]
    assert len(terms("aB3-" * 25_000)) < 200


UNITS = [
    "a.",
    "-",
    "////",
    "a",
    "--",
    "a-",
    "#",
    "@a",
    "http://",
    "https://.",
    "https://a",
    "https://a ",
    "我",
    "a我",
    "'",
]
UNITS += [
    "a'",
    "::",
    "a::",
    "../",
    "~/",
    "aB",
    "1a",
    "_",
    "_ ",
    "a\u0301",
    "\u0301",
    "क",
    "क\u093e",
    "ก",
    "😀",
    "A.",
    "C#",
]
UNITS += [".NET", "a:/", "a:\\", "\0", "é.", "//a", " a", "l'", "ﬁ", "C++", "\u200d", "(", "a_", "_a ", "\u0410", "й́"]


@pytest.mark.timeout(60)  # what is quadratic takes minutes
@pytest.mark.parametrize(
    ("asked", "sought"),
    [
        ("hast du die Nummer vom Elektriker", "die Nummer vom Elektriker"),
        ("weißt du noch was das kostet", "was das kostet"),
        ("wie war eigentlich der Code nochmal", "wie war der Code"),
        ("hat der Novak schon bezahlt", "hat der Novak bezahlt"),
        ("was zahlen wir beim Starkl", "was zahlen wir Starkl"),
        ("hast du das", "hast du das"),
        ("wie hieß die Frau aus Utrecht", "die Frau aus Utrecht"),
        ("was war wegen dem Schimmel", "was war dem Schimmel"),
        ("avez-vous mal au dos", "avez-vous mal au dos"),
        ("comment s'appelle la dame d'Utrecht", "la dame d'Utrecht"),
        ("¿cómo se llama la señora de Utrecht?", "la señora de Utrecht"),
        ("come si chiamava la signora di Utrecht", "la signora di Utrecht"),
        ("what's the woman from Utrecht called?", "the woman from Utrecht"),
        ("when was Ann called", "when was Ann called"),
        ("what's called", "what's called"),
    ],
)
def test_words_that_only_ask_are_not_searched_for_unless_there_is_nothing_else(asked: str, sought: str) -> None:
    assert terms_asked(asked) == terms(sought)
    assert "hast" in terms("du hast es")


@pytest.mark.parametrize(
    ("asked", "sought"),
    [
        ("我家的wifi密码是多少", ["我家", "wifi", "密码"]),  # "家的" and "码是" are no words, and "多少" only asks
        ("跟宁波那家付款是怎么分期的", ["宁波", "家付", "付款", "分期"]),
        ("小禾的钢琴课", ["小禾", "禾的", "钢琴", "琴课"]),  # of a name no dictionary knows where it ends
        ("现在", ["现在"]),  # there is nothing else
        ("为什么换窗帘", ["换窗", "窗帘"]),  # what asks parts words, as a blank does: "么换" is none
        ("狗吃什么药", ["狗吃", "药"]),  # and one character is sought where it stands alone
        ("茶馆啥时候关门", ["茶馆", "关门"]),
        ("茶館什麼時候關門", ["茶館", "關門"]),
        ("請問這個鑰匙放在櫃子裡了嗎", ["鑰匙", "放在", "櫃子", "子裡", "裡了"]),  # by the same words in either script
        ("什么", []),
    ],
)
def test_of_a_chinese_prompt_what_two_words_make_where_they_meet_is_not_sought(asked, sought):
    assert list(terms_asked(asked)) == sought


@pytest.mark.parametrize("unit", UNITS)
def test_no_text_of_100_kb_takes_long(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    for function in (terms, words, raw_tokens):
        list(function(text))


def test_caches_hold_words_never_documents() -> None:
    fold("É" * 1_000_000)
    terms("日" * 10_000)
    cached = (folding._fold_word, tokens._terms_of_word, tokens._kinded_word)
    for cache in cached:
        cache.cache_clear()
    fold("É" * 65)
    terms("日" * 65)
    list(raw_tokens("日" * 65))
    assert [cache.cache_info().currsize for cache in cached] == [0, 0, 0]


def test_terms_keep_no_set_of_themselves() -> None:
    own = terms("The exporter writes logs as JSON")
    assert own.distinct == set(own)
    assert own.distinct is not own.distinct, "of 10,000 passages in memory the sets are most"


def test_a_part_that_folds_to_nothing_is_left_out() -> None:
    assert "main" in terms("src/\u0640\u0640/main.py")  # the stroke that stretches an Arabic word


def test_of_a_long_text_the_two_ends_are_kept() -> None:
    for size in range(12):
        text = "abcdefghijkl"[:size]
        kept = ends(text, 6)
        assert kept == text if size <= 6 else kept == f"abc\n{text[-3:]}"


def test_threads_may_share_the_tokenizer() -> None:
    text = "Wir haben die Entscheidungen getroffen, решения о журнале, decisions about logging"
    expected = terms(text)
    for cache in (tokens._terms_of_word, tokens._kinded_word, folding._fold_word):
        cache.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert all(answer == expected for answer in pool.map(terms, [text] * 200))
