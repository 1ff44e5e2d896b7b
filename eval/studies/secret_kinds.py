"""Kinds of secrets as people paste and tell them, made anew at each run: no line of this file holds one.

Each sample is a sentence or a few lines and the part of it that must not be seen; what has a checksum has the right one.
The seed is fixed, so two runs see the same.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

_HEX, _LOWER, _ALNUM = "0123456789abcdef", string.ascii_lowercase + string.digits, string.ascii_letters + string.digits
_UPPER, _URL = string.ascii_uppercase + string.digits, string.ascii_letters + string.digits + "-_"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


class Sample(NamedTuple):
    """A text that a person might write, and the ``secret`` in it."""

    kind: str
    text: str
    secret: str


class _Maker:
    """Draws characters as the makers of keys do: from their alphabet, with a letter of each sort and a digit among them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def of(self, alphabet: str, length: int) -> str:
        sorts = [[c for c in alphabet if test(c)] for test in (str.isdigit, str.islower, str.isupper)]
        drawn = [self.random.choice(sort) for sort in sorts if sort][:length]
        drawn += [self.random.choice(alphabet) for _ in range(length - len(drawn))]
        self.random.shuffle(drawn)
        for end in (0, -1):
            if drawn and not drawn[end].isalnum():
                drawn[end] = "7"
        return "".join(drawn)

    def hexadecimal(self, length: int) -> str:
        return self.of(_HEX, length)

    def base64(self, octets: int) -> str:
        return base64.b64encode(self.random.randbytes(octets)).decode()

    def base64url(self, octets: int) -> str:
        return base64.urlsafe_b64encode(self.random.randbytes(octets)).decode().rstrip("=")

    def uuid(self) -> str:
        whole = self.hexadecimal(32)
        return "-".join((whole[:8], whole[8:12], "4" + whole[13:16], "a" + whole[17:20], whole[20:]))

    def lines(self, octets: int) -> str:
        whole = self.base64(octets)
        return "\n".join(whole[at : at + 64] for at in range(0, len(whole), 64))


def samples(seed: int = 20) -> list[Sample]:
    """Return one sample of each kind, in the order of their names."""
    maker = _Maker(seed)
    found = [
        Sample(kind, text.replace("{}", secret), secret)
        for part in (_of_makers, _of_services, _of_commands, _of_files, _of_people)
        for kind, text, secret in part(maker)
    ]
    return sorted(found)


Rows = Iterator[tuple[str, str, str]]


def _of_makers(m: _Maker) -> Rows:
    """Yield tokens that tell by their first characters who made them."""
    for kind, prefix, alphabet, length in (
        ("1Password service account", "ops" + "_eyJ", _ALNUM, 300),
        ("Adobe client secret", "p8e" + "-", _LOWER, 32),
        ("Airtable personal token", "pat" + m.of(_ALNUM, 14) + ".", _HEX, 64),
        ("Alibaba access key", "LTA" + "I5t", _ALNUM, 18),
        ("Anthropic", "sk-a" + "nt-api03-", _URL, 95),
        ("Artifactory API key", "AKC" + "p", _ALNUM, 69),
        ("Artifactory reference token", "cmVm" + "dGtu", _ALNUM, 56),
        ("Atlassian", "ATAT" + "T3xFfGF0", _ALNUM, 180),
        ("AWS access key id", "AK" + "IA", string.ascii_uppercase + "234567", 16),
        ("AWS temporary key id", "AS" + "IA", string.ascii_uppercase + "234567", 16),
        ("AWS Bedrock", "ABSKQmVkcm9ja0FQSUtleS", _ALNUM, 106),
        ("Bitbucket app password", "ATB" + "B", _ALNUM, 32),
        ("Brevo", "xkey" + "sib-", _HEX, 64),
        ("Clojars", "CLOJ" + "ARS_", _LOWER, 60),
        ("Cloudflare origin CA", "v1.0" + "-" + m.hexadecimal(24) + "-", _HEX, 146),
        ("Contentful", "CFPA" + "T-", _URL, 43),
        ("Databricks", "da" + "pi", _HEX, 32),
        ("DeepSeek", "sk" + "-", _HEX, 32),
        ("DigitalOcean", "dop" + "_v1_", _HEX, 64),
        ("DigitalOcean OAuth", "doo" + "_v1_", _HEX, 64),
        ("Discord bot", "MTE" + m.of(_ALNUM, 23) + "." + m.of(_ALNUM, 6) + ".", _URL, 38),
        ("Docker Hub", "dckr" + "_pat_", _URL, 27),
        ("Doppler", "dp.p" + "t.", _ALNUM, 43),
        ("Dropbox short-lived", "sl" + ".", _URL, 140),
        ("Duffel", "duff" + "el_test_", _URL, 43),
        ("Dynatrace", "dt0c" + "01." + m.of(_UPPER, 24) + ".", _UPPER, 64),
        ("EasyPost", "EZ" + "AK", _LOWER, 54),
        ("Facebook page token", "EA" + "AM", _ALNUM, 120),
        ("Figma", "fig" + "d_", _URL, 40),
        ("Flutterwave", "FLWS" + "ECK_TEST-", _HEX, 32),
        ("Fly.io", "fo1" + "_", _URL, 43),
        ("Frame.io", "fio" + "-u-", _URL, 64),
        ("GitHub classic", "gh" + "p_", _ALNUM, 36),
        ("GitHub fine-grained", "github" + "_pat_", _ALNUM, 82),
        ("GitHub app", "gh" + "s_", _ALNUM, 36),
        ("GitHub OAuth", "gh" + "o_", _ALNUM, 36),
        ("GitLab", "glp" + "at-", _URL, 20),
        ("GitLab runner", "glr" + "t-", _URL, 20),
        ("GitLab trigger", "glp" + "tt-", _HEX, 40),
        ("Google API key", "AI" + "za", _URL, 35),
        ("Google OAuth client secret", "GOC" + "SPX-", _URL, 28),
        ("Google OAuth access token", "ya" + "29.", _URL, 120),
        ("Google OAuth refresh token", "1/" + "/0", _URL, 60),
        ("Grafana service account", "gls" + "a_" + m.of(_ALNUM, 32) + "_", _HEX, 8),
        ("Grafana Cloud", "gl" + "c_eyJ", _ALNUM, 80),
        ("Groq", "gs" + "k_", _ALNUM, 52),
        ("Harness", "pat." + m.of(_ALNUM, 22) + "." + m.hexadecimal(24) + ".", _ALNUM, 20),
        ("HashiCorp Terraform", m.of(_ALNUM, 14) + ".atlas" + "v1.", _ALNUM, 64),
        ("HashiCorp Vault service", "hv" + "s.", _URL, 92),
        ("HashiCorp Vault batch", "hv" + "b.", _URL, 140),
        ("Heroku", "HRKU" + "-AA", _URL, 58),
        ("Hugging Face", "hf" + "_", string.ascii_letters, 34),
        ("Infracost", "ic" + "o-", _ALNUM, 32),
        ("Linear", "lin" + "_api_", _ALNUM, 40),
        ("Mailchimp", "", _HEX, 32),
        ("Mailgun", "ke" + "y-", _HEX, 32),
        ("Mapbox", "sk.ey" + "J1Ijoi", _ALNUM, 60),
        ("Netlify", "nf" + "p_", _ALNUM, 36),
        ("New Relic", "NR" + "AK-", _UPPER, 27),
        ("Notion", "nt" + "n_", _ALNUM, 46),
        ("npm", "np" + "m_", _ALNUM, 36),
        ("NuGet", "oy" + "2", _LOWER, 43),
        ("Octopus Deploy", "API" + "-", _UPPER, 26),
        ("OpenAI", "sk-p" + "roj-", _URL, 100),
        ("OpenRouter", "sk-o" + "r-v1-", _HEX, 64),
        ("PayPal Braintree", "access_" + "token$production$" + m.of(_LOWER, 16) + "$", _HEX, 32),
        ("Perplexity", "ppl" + "x-", _ALNUM, 48),
        ("PlanetScale", "psca" + "le_tkn_", _URL, 43),
        ("PostHog", "ph" + "x_", _ALNUM, 43),
        ("Postman", "PM" + "AK-" + m.hexadecimal(24) + "-", _HEX, 34),
        ("Prefect", "pn" + "u_", _LOWER, 36),
        ("Pulumi", "pu" + "l-", _HEX, 40),
        ("PyPI", "pyp" + "i-AgEIcHlwaS5vcmc", _URL, 120),
        ("Replicate", "r8" + "_", _ALNUM, 37),
        ("RubyGems", "ruby" + "gems_", _HEX, 48),
        ("Scalingo", "tk-u" + "s-", _URL, 48),
        ("SendGrid", "SG" + "." + m.of(_URL, 22) + ".", _URL, 43),
        ("Sentry", "snt" + "rys_eyJ", _ALNUM, 120),
        ("Shippo", "shippo" + "_live_", _HEX, 40),
        ("Shopify", "shp" + "at_", _HEX, 32),
        ("Slack app", "xa" + "pp-1-A" + m.of(_UPPER, 10) + "-" + m.of(string.digits, 13) + "-", _HEX, 64),
        ("Slack bot", "xo" + "xb-" + m.of(string.digits, 12) + "-" + m.of(string.digits, 13) + "-", _ALNUM, 24),
        ("Slack user", "xo" + "xp-" + m.of(string.digits, 12) + "-" + m.of(string.digits, 12) + "-", _HEX, 32),
        ("SonarQube", "sq" + "u_", _HEX, 40),
        ("Sourcegraph", "sg" + "p_", _HEX, 40),
        ("Square", "EAAA" + "E", _URL, 59),
        ("Stripe", "sk" + "_live_", _ALNUM, 24),
        ("Stripe restricted", "rk" + "_live_", _ALNUM, 99),
        ("Stripe webhook", "wh" + "sec_", _ALNUM, 32),
        ("Supabase", "sb" + "p_", _HEX, 40),
        ("Tailscale", "tske" + "y-auth-k" + m.of(_ALNUM, 10) + "-", _ALNUM, 32),
        ("Twilio", "S" + "K", _HEX, 32),
        ("Typeform", "tf" + "p_", _URL, 59),
        ("Vercel", "vcp" + "_", _ALNUM, 24),
        ("xAI", "xa" + "i-", _ALNUM, 80),
        ("Yandex Cloud", "AQV" + "N", _URL, 38),
        ("Zapier NLA", "sk-a" + "k-", _ALNUM, 44),
    ):  # fmt: skip
        tail = "-us14" if kind == "Mailchimp" else ""
        yield kind, "please use {} for now, I rotate it on friday", prefix + m.of(alphabet, length) + tail
    yield "1Password secret key", "emergency kit: {}", "A3-" + "-".join(m.of(_UPPER, n) for n in (6, 6, 5, 5, 5, 5))
    yield "Azure AD client secret", "it is {} until may", m.of(_ALNUM, 3) + "8Q" + "~" + m.of(_ALNUM, 34)
    hook = f"https://discord.com/api/webhooks/{m.of(string.digits, 19)}/"
    yield "Discord webhook", f"post to {hook}{{}} then", m.of(_URL, 68)
    hook = f"https://hooks.slack.com/services/T{m.of(_UPPER, 8)}/B{m.of(_UPPER, 8)}/"
    yield "Slack webhook", f"post to {hook}{{}} then", m.of(_ALNUM, 24)
    hook = f"https://acme.webhook.office.com/webhookb2/{m.uuid()}@{m.uuid()}/IncomingWebhook/"
    yield "Teams webhook", f"post to {hook}{{}}", f"{m.hexadecimal(32)}/{m.uuid()}"
    yield "Telegram bot", f"the bot is {m.of(string.digits, 10)}:{{}} now", "A" + "A" + m.of(_URL, 33)
    yield "Bitcoin private key", "cold wallet {} in the drawer", _wif(m)
    yield "Nostr key", "my {} for the relay", "nse" + "c1" + m.of(_BECH32, 58)


def _of_services(m: _Maker) -> Rows:
    """Yield what says nothing by itself and has its name before it."""
    yield "AWS secret access key", "aws_secret_access_key = {}", m.base64(30)
    yield "AWS session token", "AWS_SESSION_TOKEN={}", "IQoJb3JpZ2lu" + m.base64(120)
    yield (
        "Azure storage key",
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net",
        m.base64(64),
    )
    yield (
        "Azure SAS",
        "https://acme.blob.core.windows.net/c?sv=2022-11-02&sp=r&sig={}",
        m.base64(32).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
    )
    yield (
        "Azure service bus",
        "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}",
        m.base64(32),
    )
    yield "Algolia", 'ALGOLIA_ADMIN_KEY: "{}"', m.hexadecimal(32)
    yield "Cloudflare", "CLOUDFLARE_API_TOKEN={}", m.of(_URL, 40)
    yield "Datadog", "DD_API_KEY={}", m.hexadecimal(32)
    yield "Fastly", "fastly_key: {}", m.of(_URL, 32)
    yield "HubSpot", "hubspot api key = {}", m.uuid()
    yield "Intercom", "INTERCOM_ACCESS_TOKEN={}", m.of(_ALNUM, 60)
    yield "Okta", "okta_api_token={}", "00" + m.of(_URL, 40)
    yield "Plaid", "PLAID_SECRET={}", m.hexadecimal(30)
    yield "Snyk", "export SNYK_TOKEN={}", m.uuid()
    yield "Twitch", "twitch client_secret: {}", m.of(_LOWER, 30)
    yield "Twitter", "twitter bearer token: {}", "AAAAAAAAAAAAAAAAAAAAA" + m.of(_ALNUM, 80)
    yield "Zendesk", "zendesk_secret_key={}", m.of(_LOWER, 40)
    yield "LinkedIn", "linkedin_client_secret = '{}'", m.of(_ALNUM, 16)
    yield "Kraken", "kraken private key: {}", m.base64(64)


def _of_commands(m: _Maker) -> Rows:
    """Yield what stands in command lines, headers and addresses."""
    word = lambda n=12: m.of(_ALNUM, n)  # noqa: E731
    yield "curl -u", "curl -u deploy:{} https://ci.example.org/build", word()
    yield "curl --user", "curl --user=deploy:{} https://ci.example.org/build", word()
    yield "curl Authorization", 'curl -H "Authorization: Token {}" https://ci.example.org', m.hexadecimal(40)
    yield "Bearer header", "Authorization: Bearer {}", m.base64url(36)
    yield "Basic header", "Authorization: Basic {}", base64.b64encode(f"deploy:{word()}".encode()).decode()
    yield "X-Api-Key header", "X-Api-Key: {}", m.hexadecimal(32)
    yield "Cookie header", "Cookie: session={}; theme=dark", m.base64url(30)
    yield "Set-Cookie header", "Set-Cookie: sid={}; HttpOnly", m.base64url(30)
    yield "URL with password", "https://deploy:{}@git.example.org/a.git", word()
    yield "PostgreSQL address", "postgres://app:{}@db.example.org:5432/app", word()
    yield "MongoDB address", "mongodb+srv://app:{}@cluster0.example.net/app", word()
    yield "Redis address", "redis://:{}@cache.example.org:6379/0", word()
    yield "token in a URL", "https://example.org/feed?user=7&access_token={}", m.hexadecimal(40)
    yield "mysql -p", "mysql -u root -p{} shop", word()
    yield "sshpass", "sshpass -p '{}' ssh root@10.0.0.7", word() + "!"
    yield "--password", "./restore --password {} --db shop", word()
    yield "docker login", "docker login -u acme -p {} registry.example.org", word()
    yield "SQL", "CREATE USER app IDENTIFIED BY '{}';", word()
    yield "SQL role", "ALTER ROLE app WITH PASSWORD '{}';", word()
    yield "PowerShell", "ConvertTo-SecureString '{}' -AsPlainText -Force", word()
    yield "openssl -passin", "openssl rsa -in k.pem -passin pass:{}", word()
    yield "net use", "net use Z: \\\\nas\\share {} /user:anna", word() + "!"
    yield "otpauth", "otpauth://totp/acme:anna?secret={}&issuer=acme", base64.b32encode(m.random.randbytes(20)).decode()
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).decode().rstrip("=")
    payload = base64.urlsafe_b64encode(json.dumps({"sub": m.uuid(), "iat": 1700000000}).encode()).decode().rstrip("=")
    yield "JWT", "the header was {} then", f"{header}.{payload}.{m.base64url(32)}"
    yield "PASETO", "the header was {} then", "v2.loc" + "al." + m.base64url(100)


def _of_files(m: _Maker) -> Rows:
    """Yield what stands in files for programs."""
    for kind, name in (
        ("PEM RSA", "RSA PRIVATE KEY"),
        ("PEM PKCS8", "PRIVATE KEY"),
        ("PEM encrypted", "ENCRYPTED PRIVATE KEY"),
        ("PEM EC", "EC PRIVATE KEY"),
        ("OpenSSH", "OPENSSH PRIVATE KEY"),
        ("PGP", "PGP PRIVATE KEY BLOCK"),
    ):
        body = m.lines(400)
        yield kind, "-----BEGIN " + name + "-----\n{}\n-----END " + name + "-----", body
    yield (
        "SSH2 encrypted",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        m.lines(300),
    )
    putty = "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: laptop\nPublic-Lines: 2\n{P}\nPrivate-Lines: 1\n{}\nPrivate-MAC: {M}"
    yield "PuTTY", putty.replace("{P}", m.lines(51)).replace("{M}", m.hexadecimal(64)), m.base64(36)
    yield (
        "PEM on one line",
        '"private_key": "-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n"',
        m.base64(300),
    )
    yield "age", "# created: 2026-01-01\n{}", "AGE-SECRET-KEY-1" + m.of(_BECH32.upper(), 58)
    yield (
        "JWK",
        '{"kty":"EC","crv":"P-256","x":"' + m.base64url(32) + '","y":"' + m.base64url(32) + '","d":"{}"}',
        m.base64url(32),
    )
    yield "JWK symmetric", '{ "kty": "oct", "alg": "HS256", "k": "{}" }', m.base64url(32)
    yield "JWK RSA", '{"kty":"RSA","e":"AQAB","n":"' + m.base64url(64) + '","d":"{}","p":"x"}', m.base64url(64)
    yield ".env", "APP=shop\nDB_PASS={}\nPORT=8080", m.of(_LOWER, 9)
    yield ".env of words", "DATABASE_PASSWORD={}", "correcthorse"
    yield ".netrc", "machine git.example.org login anna password {}", m.of(_ALNUM, 12)
    yield ".npmrc", "//registry.example.org/:_authToken={}", m.uuid()
    yield ".npmrc auth", "_auth={}", base64.b64encode(f"anna:{m.of(_ALNUM, 9)}".encode()).decode()
    yield ".pgpass", "db.example.org:5432:shop:anna:{}", m.of(_ALNUM, 12)
    yield (
        "docker config",
        '{"auths": {"registry.example.org": {"auth": "{}"}}}',
        base64.b64encode(f"anna:{m.of(_ALNUM, 12)}".encode()).decode(),
    )
    yield "YAML", "db:\n  user: app\n  password: '{}'", m.of(_ALNUM, 10)
    yield "JSON", '{"user": "app", "password": "{}"}', m.of(_ALNUM, 10)
    yield "XML", "<server><password>{}</password></server>", m.of(_ALNUM, 10)
    yield "INI", "[smtp]\nsmtp_pass = {}", m.of(_ALNUM, 10)
    yield "Properties", "spring.datasource.password={}", m.of(_ALNUM, 10)
    yield "Python", 'PASSWORD = "{}"', m.of(_ALNUM, 10)
    yield "Go", 'apiKey := "{}"', m.of(_ALNUM, 24)
    yield "Ruby", ":secret_key_base => '{}'", m.hexadecimal(64)
    yield "Kubernetes", "kind: Secret\ndata:\n  password: {}", base64.b64encode(m.of(_ALNUM, 12).encode()).decode()
    yield "WireGuard", "[Interface]\nPrivateKey = {}", m.base64(32)
    yield "WireGuard preshared", "PresharedKey = {}", m.base64(32)
    yield "WPA", 'network={ ssid="barn"\n psk="{}" }', m.of(_LOWER, 12)
    yield "shadow", "anna:{}:19700:0:99999:7:::", "$6$" + m.of(_ALNUM, 12) + "$" + m.of(_ALNUM + "./", 86)
    yield "bcrypt", "anna:{}", "$2y$10$" + m.of(_ALNUM + "./", 53)
    yield "argon2", "{}", "$argon2id$v=19$m=65536,t=3,p=4$" + m.base64(12).rstrip("=") + "$" + m.base64(32).rstrip("=")
    yield "Ansible vault", "$ANSIBLE_VAULT;1.1;AES256\n{}", "\n".join(m.hexadecimal(80) for _ in range(4))


def _of_people(m: _Maker) -> Rows:
    """Yield what people tell in sentences, and what they are numbered by."""
    word = lambda: f"{m.random.choice(('Harbour', 'Maple', 'Otter'))}-{m.of(_ALNUM, 3)}{m.of(string.digits, 3)}"  # noqa: E731
    for kind, text in (
        ("password, English", "the password for the router is {}, don't tell the kids"),
        ("password, English, list", "- wifi password: {}"),
        ("password, English, told", "log in as anna with password {} please"),
        ("password, German", "Das Passwort für den Router ist {}, bitte nicht weitersagen"),
        ("password, German, Kennwort", "Kennwort lautet {}."),
        ("password, German, WLAN", "WLAN-Schlüssel: {}"),
        ("password, French", "le mot de passe du routeur est {}, ne le dis à personne"),
        ("password, French, short", "mdp : {}"),
        ("password, Spanish", "la contraseña del router es {}, no se la digas a nadie"),
        ("password, Spanish, clave", "la clave del wifi es {}"),
        ("password, Chinese", "路由器的密码是{}，别告诉别人"),
        ("password, Chinese, list", "WiFi密码：{}"),
        ("password, Chinese, kouling", "登录口令为 {}"),
        ("passphrase", "passphrase for the backup: {}"),
        ("user and password", "login: anna / {} (password of the NAS)"),
        ("token, prose", "the api token of the printer is {}"),
    ):
        yield kind, text, word()
    yield "PIN", "the PIN of my bank card is {}", m.of(string.digits, 4)
    yield "PIN, German", "Meine PIN: {}", m.of(string.digits, 4)
    yield (
        "seed phrase",
        "seed phrase: {}",
        "abandon ability able about above absent absorb abstract absurd abuse access accident",
    )
    for kind, prefix, length, groups in (
        ("card, Visa", "4539", 16, (4, 4, 4, 4)),
        ("card, Mastercard", "5412", 16, (16,)),
        ("card, Mastercard 2", "2223", 16, (4, 4, 4, 4)),
        ("card, Amex", "3714", 15, (4, 6, 5)),
        ("card, Discover", "6011", 16, (4, 4, 4, 4)),
        ("card, UnionPay", "6225", 16, (4, 4, 4, 4)),
        ("card, Maestro", "6759", 16, (16,)),
    ):
        yield (
            kind,
            "my card is {}, valid until 09/28",
            _grouped(_luhn(prefix + m.of(string.digits, length - 1 - len(prefix))), groups),
        )
    for country, pattern in (
        ("DE", "d18"),
        ("FR", "d23"),
        ("ES", "d20"),
        ("GB", "a4d14"),
        ("CH", "d17"),
        ("NL", "a4d10"),
    ):
        iban = _iban(country, m, pattern)
        yield f"IBAN, {country}", "please pay to {} by friday", _grouped(iban, (4,) * 9) if country != "NL" else iban
    yield (
        "SSN",
        "her social security number is {}",
        f"{m.random.randint(100, 665)}-{m.random.randint(10, 99)}-{m.random.randint(1000, 9999)}",
    )
    yield (
        "SSN, bare",
        "form W-9: {}, signed",
        f"{m.random.randint(100, 665)}-{m.random.randint(10, 99)}-{m.random.randint(1000, 9999)}",
    )
    number = f"{m.random.randint(10_000_000, 99_999_999)}"
    yield "DNI, Spanish", "mi DNI es {}", number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]
    body = "2" + "85" + "03" + "75" + m.of(string.digits, 6)
    yield "NIR, French", "numéro de sécu {}", f"{body}{97 - int(body) % 97:02d}"
    first = "110101" + "19900307" + m.of(string.digits, 3)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    yield (
        "identity card, Chinese",
        "身份证 {}",
        first + "10X98765432"[sum(int(d) * w for d, w in zip(first, weights, strict=True)) % 11],
    )


def _luhn(digits: str) -> str:
    """Return ``digits`` with the digit that makes them a card's number."""
    doubled = (int(d) * (2 - n % 2) for n, d in enumerate(reversed(digits)))
    return digits + str(-sum(value // 10 + value % 10 for value in doubled) % 10)


def _iban(country: str, maker: _Maker, pattern: str) -> str:
    letters = pattern[pattern.find("a") + 1 : pattern.find("d")] if "a" in pattern else "0"
    body = maker.of(string.ascii_uppercase, int(letters)) + maker.of(
        string.digits, int(pattern[pattern.find("d") + 1 :])
    )
    turned = "".join(str(int(c, 36)) for c in f"{body}{country}00")
    return f"{country}{98 - int(turned) % 97:02d}{body}"


def _wif(maker: _Maker) -> str:
    raw = b"\x80" + maker.random.randbytes(32) + b"\x01"
    whole = raw + hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    number, text = int.from_bytes(whole, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = _BASE58[rest] + text
    return text


def _grouped(digits: str, groups: tuple[int, ...]) -> str:
    parts, at = [], 0
    for size in groups:
        parts.append(digits[at : at + size])
        at += size
    return " ".join(part for part in [*parts, digits[at:]] if part)


SHORTEST = 8
"""So many characters in a row of a secret, or all of a shorter one, tell it."""


def told(sample: Sample, seen: str) -> bool:
    """Say whether what is ``seen`` of a sample tells the secret."""
    size = min(SHORTEST, len(sample.secret))
    pieces: Callable[[int], str] = lambda at: sample.secret[at : at + size]  # noqa: E731
    secret = range(len(sample.secret) - size + 1)
    without = sample.text.replace(sample.secret, "\0")
    return any(pieces(at) in seen for at in secret if pieces(at) not in without)
