"""Concealing: a secret that stands in a note goes into no block; but the password of a Wi-Fi, where its owner asks for it.

Guests are told that one anyway, and who asks for it by name wants to have it: it is told in the owner's own direct
session, where a person chose it and told it in words. What a machine made is not, however it is called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hookclaw_py.model.types import Candidate, Chunk, Effect, Query, Step
from hookclaw_py.privacy.redaction import REDACTED, Secret, redact, secrets_in, without
from hookclaw_py.regex import regex
from hookclaw_py.speech.news import telling

_ASKS = regex(r"(?i)\bwi-?fi|wlan|\bssid\b|hotspot|\binternet\b|\bnetwork\b|\bnetzwerk\b|\bréseau\b|无线|网络")
_ABOUT = regex(
    r"(?i)\bwi-?fi|wlan|\bssid\b|hotspot|\binternet|\bnet(?:work|zwerk|z)?\b|\bréseau\b|\bred\b|无线|网络|路由"
)
_HIDDEN = regex(rf"(?:[\w'’-]+[^\w\[]+){{0,3}}{re.escape(REDACTED)}")  # a secret, and the words that name it


def conceal(candidates: Sequence[Candidate], *, asked: str) -> list[Candidate]:
    """Return these with ``[redacted]`` where a secret stood, and a line of history that counts them.

    ``asked`` is what the owner asks for in a direct session; "" when somebody else hears the answer.
    """
    for_network = bool(_ASKS.search(asked))
    return [_concealed(candidate, for_network=for_network) for candidate in candidates]


def conceal_lines(lines: Sequence[Candidate], passages: Mapping[str, Chunk], *, asked: str) -> list[Candidate]:
    """Conceal single lines, in each what is a secret in its passage as well, by chunk id: "hunter22", in the line behind "Password:"."""
    for_network, hidden = bool(_ASKS.search(asked)), list[Candidate]()
    for line in lines:
        whole = passages[line.chunk.id]
        secrets = (whole.text[one.start : one.end] for one in _hidden_in(whole, for_network=for_network))
        parts = {part.strip() for secret in secrets for part in secret.split("\n") if part.strip()}
        longest_first = sorted(parts, key=lambda part: (-len(part), part))
        told = re.sub("|".join(map(re.escape, longest_first)), REDACTED, line.chunk.text) if parts else line.chunk.text
        hidden.append(line if told == line.chunk.text else line._replace(chunk=replace(line.chunk, text=told)))
    return conceal(hidden, asked=asked)


def still_telling(lines: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return the single lines without those of which a secret was hidden that have nothing else of what is asked: "password [redacted]"."""
    asked = frozenset(query.topic)
    return [
        line
        for line in lines
        if REDACTED not in line.chunk.text or not asked.isdisjoint(telling(_HIDDEN.sub(" ", line.chunk.text)))
    ]


def _concealed(candidate: Candidate, *, for_network: bool) -> Candidate:
    chunk = candidate.chunk
    found = _hidden_in(chunk, for_network=for_network)
    path, heading, text = redact(chunk.place.path), redact(chunk.heading), without(chunk.text, found)
    number = len(found) + (heading != chunk.heading) + (path != chunk.place.path)
    if not number:
        return candidate
    hidden = replace(chunk, text=text, heading=heading, place=chunk.place._replace(path=path))
    told = "1 secret is" if number == 1 else f"{number} secrets are"
    step = Step("secrets", float(number), f"{told} [redacted]", Effect.REDACTED)
    return candidate._replace(chunk=hidden).noted(step)


def _hidden_in(chunk: Chunk, *, for_network: bool) -> list[Secret]:
    found = _secrets_of(chunk)
    return [one for one in found if not (for_network and one.in_words and _of_network(chunk, one))]


def _secrets_of(chunk: Chunk) -> list[Secret]:
    """Return the secrets of a chunk's text; what stands alone below a heading "Password" is one, as behind "Password:"."""
    label = f"{chunk.heading.rstrip(':： ')}:\n" if chunk.heading else ""
    length = len(label)
    return [
        one._replace(start=one.start - length, end=one.end - length)
        for one in secrets_in(label + chunk.text)
        if one.start >= length
    ]


def _of_network(chunk: Chunk, secret: Secret) -> bool:
    """Say whether a secret's line, or the heading or file it stands below, names a network."""
    line = chunk.text[chunk.text.rfind("\n", 0, secret.start) + 1 : secret.start]
    return any(_ABOUT.search(words) for words in (line, chunk.heading, chunk.place.path))
