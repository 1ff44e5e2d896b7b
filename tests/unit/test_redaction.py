"""Secrets are found in what people write, and what only looks a little like one stays."""

from __future__ import annotations

import re
from base64 import b64encode
from itertools import pairwise
from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.studies.secret_kinds import Sample, samples, told
from hookclaw_py.privacy.numbers import is_card, numbered
from hookclaw_py.privacy.redaction import REDACTED, redact, secrets_in

SAMPLES = samples()
ADJUSTED = samples(seed=7)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_no_kind_of_secret_is_left_raw_and_what_stands_around_it_stays(sample: Sample):
    alone = redact(sample.text)
    assert REDACTED in alone
    assert not told(sample, alone), alone
    around = f"The heat pump costs 9,400 euros.\n\n{sample.text}\n\nMara comes on Friday at 10:30."
    seen = redact(around)
    assert seen.startswith("The heat pump costs 9,400 euros.\n")
    if sample.kind != "PEM on one line":
        assert seen.endswith("Mara comes on Friday at 10:30.")
    assert not told(sample, seen), seen


def test_there_are_enough_kinds_and_another_draw_of_them_is_found_as_well():
    assert len({sample.kind for sample in SAMPLES}) == len(SAMPLES) >= 200
    assert [sample.kind for sample in ADJUSTED if told(sample, redact(sample.text))] == []


def test_a_secret_that_a_text_breaks_off_in_is_hidden_to_its_end():
    key = "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nq83kd"
    assert redact(f"before\n{key}") == f"before\n{REDACTED}"


@pytest.mark.parametrize(
    ("columns", "before", "behind_each"),
    [(64, "", ""), (70, "", ""), (64, "    ", ""), (64, "> ", " "), (64, "", "\r")],
)
def test_of_a_key_that_is_longer_than_a_passage_no_part_is_left(columns: int, before: str, behind_each: str):
    body = b64encode(Random(columns).randbytes(1600)).decode()
    lines = [body[at : at + columns] for at in range(0, len(body), columns)]
    whole = ["-----BEGIN " + "RSA PRIVATE KEY-----", *lines, "-----END " + "RSA PRIVATE KEY-----"]
    for first in range(len(whole) - 1):
        for behind in range(first + 1, len(whole) + 1):
            part = whole[first:behind]
            seen = redact("\n".join(f"{before}{line}{behind_each}" for line in part))
            assert not any(line in seen for line in part if line in lines[:-1]), seen
            assert lines[-1] not in seen or part == lines[-1:]


@pytest.mark.parametrize("cut", [150, 200])
def test_of_what_is_longer_than_a_passage_and_stands_on_one_line_the_rest_is_hidden_as_well(cut: int):
    random = Random(cut)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    token = "ops" + "_eyJ" + "".join(random.choice(letters) for _ in range(300))
    body = b64encode(random.randbytes(600)).decode()
    key = "\\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    vault = "\n".join(random.randbytes(40).hex() for _ in range(6))
    putty = f"{b64encode(random.randbytes(27)).decode()}\nPrivate-MAC: {random.randbytes(32).hex()}"
    for rest in (f"{token[cut:]} for now", f'{key[cut:-90]}\\n-----END PRIVATE KEY-----\\n"', vault[81:], putty):
        seen = redact(rest)
        assert REDACTED in seen
        assert not any(rest[at : at + 20] in seen for at in range(0, 60, 20)), seen


@pytest.mark.parametrize(
    "line",
    [
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" * 2,
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDc4Vt8Jk2mQ9sXz7LrW0yPbHnE3uTfGa5KdCvY6oNqSi1MwRjZlBx8DeIh2UgFp7At anna@laptop",
        "/srv/data/Projects2026/Kitchen-Renovation/Offers/Signed/2026-02-18-Ottokar-HeatPump-Offer-Second-Version-Final",
        "/Users/annalena/Documents/Photographs2026/Sommerferien/Lissabon/IMG4711",
        "src/components/administration/settings/UserPreferencesPanelContainer2",
        "AbstractSingletonProxyFactoryBeanConfigurationPropertiesRegistrar2026",
    ],
)
def test_a_long_line_that_a_person_can_read_stays(line: str):
    assert redact(f"see\n{line}\n") == f"see\n{line}\n"


@pytest.mark.parametrize(
    "name", ["password", "PASSWORD", "Contraseña", "CONTRASEÑA", "Schlüssel", "SCHLÜSSEL", "Apı Key", "APİ key"]
)
def test_a_secret_is_found_however_its_name_is_written_and_whatever_letters_stand_before_it(name):
    assert (
        redact(f"\u0130\u0130\u0130 İzmir token, {name}: hunter2Hunter")
        == f"\u0130\u0130\u0130 İzmir token, {name}: {REDACTED}"
    )


ORDINARY = [
    "What did we decide about password hashing and token lifetimes?",
    "The token is expired, ask Mara for a new one.",
    "password reset for 40 users, the mails came late",
    "max_tokens: 4096, tokens_per_second = 21.5",
    "token = next(tokens); password: str = ''; secret: SecretStr | None",
    "api_key=os.environ['API_KEY'], password=settings.db.password, token=${TOKEN}",
    "db_password_file: /run/secrets/db, secret_name: web-tls",
    "PASSWORD=<your-password> and API_KEY=xxxxxxxx",
    "keyboard: Keychron K2, passport: in the red folder, compass: 270 degrees",
    "Passwort: siehe Zettel im Schrank",
    "mot de passe oublié, voir avec Fabrice",
    "la clave del éxito es dormir bien",
    "密码锁在门口，密码忘了",
    "das Schlüsselwort ist await, der Schlüsseldienst heißt Meier",
    "the pass opens in June, pass 2nd exam, a pass mark of 4.0",
    "commit 1f3c2429a7b1c7d1e8e3f4a5b6c7d8e9f0a1b2c3 fixed it, id 550e8400-e29b-41d4-a716-446655440000",
    "order 4539975581698996, tracking 00340434161094042557, phone +49 30 901820",
    "ISBN 978-3-16-148410-0, 1700000000000 ms, 2026-02-18 10:15:33",
    "https://example.org/a/very/long/path/2026-02-18-notes.html?page=2&sort=date#top",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB8Ht8Z3j6yDWPBHQtOp anna@laptop",
    "DE00 1234 5678 9012 3456 78 is not an account, DE89 is a motorway",
    "000-12-3456 and 666-12-3456 and 900-12-3456 are nobody's",
    "SELECT user FROM t WHERE pin = 4 AND key = 'name'",
    "wifi: 5 GHz in the attic, 2.4 GHz in the cellar",
    "the key to a good sourdough is time; key: C minor; key = value",
    "basic authentication is off, bearer of bad news",
]


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_lines_stay_as_they_are(line: str):
    assert redact(line) == line


@pytest.mark.parametrize(
    "number", ["4539 9755 8169 8995", "3714-506250-83991", "5412237385407464", "DE54 2246 8661 4759 0408 03"]
)
def test_a_number_with_one_digit_wrong_is_nobodys(number: str):
    assert list(numbered(f"pay {number} now"))
    for at, digit in enumerate(number):
        if digit.isdigit():
            wrong = f"{number[:at]}{(int(digit) + 1) % 10}{number[at + 1 :]}"
            assert not is_card(re.sub("[ -]", "", wrong))
            assert redact(f"pay {wrong} now") == f"pay {wrong} now"


@pytest.mark.parametrize("kind", ["DNI, Spanish", "NIR, French", "identity card, Chinese", "IBAN, NL", "card, Amex"])
def test_so_is_the_number_of_a_person(kind: str):
    sample = next(sample for sample in SAMPLES if sample.kind == kind)
    assert len(list(numbered(sample.text))) == 1
    for at, digit in enumerate(sample.secret):
        wrong = f"{sample.secret[:at]}{(int(digit) + 1) % 10 if digit.isdigit() else digit}{sample.secret[at + 1 :]}"
        assert wrong == sample.secret or redact(sample.text.replace(sample.secret, wrong)) == sample.text.replace(
            sample.secret, wrong
        )


def test_nobody_was_born_on_a_day_that_is_none_or_long_ago():
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    for day, somebodys in (
        ("19900307", True),
        ("18990307", False),
        ("21010307", False),
        ("19901307", False),
        ("19900230", False),
    ):
        first = f"110101{day}123"
        number = first + "10X98765432"[sum(int(d) * w for d, w in zip(first, weights, strict=True)) % 11]
        assert bool(list(numbered(f"身份证 {number}"))) is somebodys


@pytest.mark.parametrize("told", ["her SSN: {}", "social security number {}"])
def test_a_number_that_is_called_so_needs_no_hyphens(told: str):
    for number in ("471753509", "471 75 3509"):
        assert redact(told.format(number)) == told.format(REDACTED)
    assert redact(told.format("000753509")) == told.format("000753509")
    assert redact("order 471753509") == "order 471753509"


def test_what_follows_a_number_is_not_taken_for_its_end():
    assert redact("4539 9755 8169 8995 09/28, DE54 2246 8661 4759 0408 03 BIC") == f"{REDACTED} 09/28, {REDACTED} BIC"


def test_a_password_told_in_words_is_told_from_what_a_machine_made():
    in_words = "wifi password: tulip-anchor-93", "the PIN is 4711 today... PIN 4711", "pw klippfisk-42-ost"
    made = "DB_PASS=tulip-anchor-93", "https://a:tulip-anchor-93@b.org", "my card is 4539 9755 8169 8995"
    assert all(one.in_words for text in in_words for one in secrets_in(text))
    assert not any(one.in_words for text in made for one in secrets_in(text))
    assert all(secrets_in(text) for text in (*in_words, *made))


def test_what_a_machine_made_is_not_told_in_words_whatever_it_is_called():
    token = next(sample.secret for sample in SAMPLES if sample.kind == "GitHub classic")
    (found,) = secrets_in(f"the wifi password is {token}, ask Mara")
    assert (found.in_words, found.end - found.start) == (False, len(token))


def test_secrets_that_overlap_are_one_and_neighbours_are_two():
    first, second = (s.secret for s in SAMPLES if s.kind in ("GitHub classic", "Vercel"))
    assert redact(f"{first} {second}") == f"{REDACTED} {REDACTED}"
    assert redact(f"token={first}") == f"token={REDACTED}"
    assert redact(f"x://a:{first}@b.org") == f"x://a:{REDACTED}@b.org"


@pytest.mark.parametrize(
    "line",
    [
        f"cookie: sid={REDACTED}; theme=dark",
        f"password: {REDACTED}",
        f"password={REDACTED}, b",
        f"x://a:{REDACTED}@b.org",
        f"PIN {REDACTED}",
    ],
)
def test_what_is_redacted_already_is_left_alone(line: str):
    assert redact(line) == line
    assert secrets_in(line) == []


LINES = st.sampled_from([*(sample.text for sample in SAMPLES), *ORDINARY, REDACTED, f"password: {REDACTED}"])


@given(st.lists(LINES | st.text(max_size=30), max_size=6).map("\n".join))
def test_what_is_redacted_once_stays_as_it_is(text: str):
    once = redact(text)
    assert redact(once) == once


@given(st.text(max_size=400))
def test_the_places_of_secrets_are_in_order_and_apart(text: str):
    found = secrets_in(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(before.end <= after.start for before, after in pairwise(found))


HARD = (
    "password ", "密码:", ":密码", "pass.pass.a:", "_key=", "=auth", "<password>https://a:", "a-b_", "1 ", "4444 ", "DE89 ",
    "A1", "eyJa.", '{"kty":', "machine a login b password ", "curl -u ", "cookie: a=", "wifi / ", "seed phrase abcd ", "abcd ",
    "-----BEGIN PRIVATE KEY-----", "0:AA", "?a=", "sk-", "$6$",
    "a\n", "a\n-----END PRIVATE KEY-----\n", f"{21 * 'aB1'}\n",
)  # fmt: skip


@pytest.mark.parametrize("piece", HARD)
def test_no_text_makes_it_slow(piece: str):
    """Eight times the text may take twenty times as long, not sixty-four: as little as the machine's noise allows."""

    def text(length: int) -> str:
        return f"{(piece * length)[:length]}\n END "

    short = min(_took(text(2_000)) for _ in range(3))
    assert any(_took(text(16_000)) < 20 * max(short, 0.002) for _ in range(3))


def _took(text: str) -> float:
    began = process_time()
    redact(text)
    return process_time() - began


@pytest.mark.parametrize(
    ("written", "secret"),
    [
        ("born in 1900: 11010519000101123", True),
        ("born in 1987: 11111519871123457", True),
        ("a number of a year before: 11010518991231123", False),
    ],
)
def test_a_chinese_identity_number_is_of_somebody_born_since_1900(written: str, *, secret: bool):
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    body = written[-17:]
    last = "10X98765432"[sum(int(digit) * weight for digit, weight in zip(body, weights, strict=True)) % 11]
    assert (REDACTED in redact(f"{written}{last}")) is secret


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("password is 1234", False),
        ("password: 12345", True),
        ('password = "abcd"', True),
        ('password = "1234"', False),
        ('password = "12345"', True),
        ("token: 123456", False),
    ],
)
def test_how_long_a_password_of_digits_is(line: str, *, secret: bool):
    assert (REDACTED in redact(line)) is secret


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("- **Password:** hunter22", f"- **Password:** {REDACTED}"),
        ("**WLAN-Passwort:** sonnenschein", f"**WLAN-Passwort:** {REDACTED}"),
        ("__Passwort:__ `hunter22`", f"__Passwort:__ `{REDACTED}`"),
        ("*Mot de passe :* caillou26", f"*Mot de passe :* {REDACTED}"),
        ("**API Key:** abcdefgh12345678abcd", f"**API Key:** {REDACTED}"),
        ("<b>Token:</b> 8f14e45fceea167a5a36dedd4bea2543", f"<b>Token:</b> {REDACTED}"),
        ("| **Password** | hunter22 |", f"| **Password** | {REDACTED} |"),
        ("| Password   | `hunter22` |", f"| Password   | `{REDACTED}` |"),
        ("PUK: 12345678", f"PUK: {REDACTED}"),
        ("der Puk der SIM ist 12345678", f"der Puk der SIM ist {REDACTED}"),
        ("**Password:** see the red folder", "**Password:** see the red folder"),
        ("| Password | Expires | Owner |", "| Password | Expires | Owner |"),
        ("**Schlüssel:** bei Frau Meier", "**Schlüssel:** bei Frau Meier"),
        ("my bus pass is £62.40 a month", "my bus pass is £62.40 a month"),
        ("ski pass: 62.50€", "ski pass: 62.50€"),
        ("my password is £62.40x", f"my password is {REDACTED}"),
    ],
)
def test_what_markdown_puts_around_a_name_hides_no_secret_and_a_price_is_none(line: str, left: str):
    assert redact(line) == left


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        (
            "| Dienst | Benutzer | Passwort |\n|---|:--|---:|\n| NAS | anna7 | Blauwal7! |\n| Router | admin | `sonne22` |",
            2,
        ),
        ("service | **Password** | note\n--- | --- | ---\nnas | hunter22 | moved 2026-03-01", 1),
        ("> | name | API key |\n> |---|---|\n> | maps | 8f14e45fceea167a5a36dedd4bea2543 |", 1),
        ("Benutzer: anna7\n**Passwort:**\nBlauwal7!\nzweite Zeile2", 1),
        ("|Dienst|Benutzer|Passwort|\n|-|-|-|\n|NAS||Blauwal7!|\n|Router|admin|sonne22|", 2),
        ("| Dienst | Passwort |\n|---|---|\n| NAS \\| Keller | Blauwal7! |\n| Router | sonne\\|22 |", 2),
        ("| Dienst | Passwort            |\n|---|---|\n| NAS | Blauwal7!           |", 1),
        ("- | Dienst | Passwort |\n  |---|---|\n  | NAS | Blauwal7! |", 1),
        ("Tamara: | Dienst | Passwort |\n|---|---|\n| NAS | Blauwal7! |", 1),
        ("| Dienst | Benutzer | Passwort |\n|-\n| NAS | anna7 | Blauwal7! |", 1),
        ("Dienst | Benutzer | Passwort\n---|---|---\n- | admin | Blauwal7!", 1),
        ("| Dienst | Passwort |\n|---|---|\n| NAS | Blauwal7! |\n|---|---|\n| Router | sonne22 |", 2),
        ("密码：\n  hunter22", 1),
        ("| Pass | Höhe |\n|---|---|\n| Furka2 | 2429m |", 0),
        ("| Password policy | since |\n|---|---|\n| 12chars+1sign | 2026-03-01 |", 0),
        (
            "| Password | Owner |\n|---|---|\n| see KeePass2 | anna7x |\n| unknown | mara22 |\n\n| a | b |\n|---|---|\n| hunter22 | x |",
            0,
        ),
        ("| model | tokens | secret |\n|---|---|---|\n| small-v2 | 128k | project-x1 |", 0),
        ("Passwort:\nsiehe Zettel2 im Schrank", 0),
        ("the password\nhunter22", 0),
    ],
)
def test_what_stands_alone_below_a_name_for_secrets_is_one(text: str, secrets: int):
    assert (len(secrets_in(text)), redact(text).count(REDACTED)) == (secrets, secrets)
    assert redact(text).count("\n") == text.count("\n")
