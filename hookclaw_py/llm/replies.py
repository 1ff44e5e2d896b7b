"""Replies: from what a model said to drafts like those of the rules, with what was not told to it left out.

Nobody's word is raised by it: a step's draft stays a tool's, a fact that all stands in the person's own words is a model's
reading of them, and every other one is an agent's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

import orjson

from hookclaw_py import text
from hookclaw_py.capture.cleaning import clean_text
from hookclaw_py.distil.observations import Observed
from hookclaw_py.distil.telling import MAX_FACT, MAX_FACTS
from hookclaw_py.distil.terms import fact_key
from hookclaw_py.errors import HookclawError
from hookclaw_py.llm.questions import Inquiry
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import DECISION, FACT, PREFERENCE, SKILL, Kind
from hookclaw_py.regex import regex
from hookclaw_py.speech.sentences import clipped, sentences

_TITLE, _SENTENCES, _STEPS = 80, 3, 8
_LEAST_FACT, _LEAST_SKILL, _CORRECTED, _MOST = 0.6, 0.7, 0.8, 0.95
_SHORTEST, _LONGEST = 2, 60  # characters of a subject, an object
_KNOWN_TAGS = """
    problem-solution gotcha pattern trade-off discovery config-change api-usage data-model dependency performance security test refactor
"""
_TAGS = frozenset(_KNOWN_TAGS.split())
_ROOT = regex(r"<(memory|observation|compressed_observation)\b[^>]*>(.*?)(?:</\1>|\Z)", re.DOTALL)
_OBJECT = regex(r"\{.*\}", re.DOTALL)
_MARKED = regex(r"[\w.~-]*/[\w./~-]+|\w*\d[\w.,:-]*|\w+_\w+|\w+\.\w{1,5}\b|\b[a-z]+[A-Z]\w*")
"""Numbers, paths and identifiers: what nobody puts in other words."""


class Unusable(HookclawError):
    """A reply that says nothing in the form that was asked for."""


def drafts_of(reply: str, question: Inquiry) -> list[Draft]:
    """Return what a reply says, as drafts; [] if it says that there is nothing.

    Raises:
        Unusable: if it is not what was asked for.
    """
    if question.draft is not None:
        return [reworded(reply, question, question.draft)]
    return list(_of_said(_json(reply, ("facts", "competence", "corrections")), question))


# Steps


def reworded(reply: str, question: Inquiry, draft: Draft) -> Draft:
    """Return the rules' ``draft`` in the model's words, where they say nothing that the step does not.

    Raises:
        Unusable: if the reply says nothing of the step.
    """
    told = _memory(reply)
    narrative = " ".join(
        one.said for one in sentences(_line(told.get("narrative")))[:_SENTENCES] if _is_told(one.said, question.source)
    )
    facts = [clipped(fact, MAX_FACT) for fact in _lines(told.get("facts")) if _is_told(fact, question.source)][
        :MAX_FACTS
    ]
    title = clipped(_line(told.get("title")), _TITLE)
    if not (narrative or facts):
        raise Unusable("the reply has no sentence that holds")
    narrative = narrative or str(draft.fields["narrative"])
    files = [
        *_lines(told.get("modified") or told.get("files_modified")),
        *_lines(told.get("read") or told.get("files_read")),
    ]
    tags = [
        tag
        for one in _lines(told.get("tags") or told.get("concept"))
        if (tag := one.partition(":")[0].strip().casefold()) in _TAGS
    ]
    fields = {
        **draft.fields,
        "type": str(_type(_line(told.get("type") or told.get("kind")), str(draft.fields["type"]))),
        "narrative": narrative,
        "facts": facts,
        "tags": list(dict.fromkeys(tags)),
        "files": [name for name in dict.fromkeys(files) if name in question.source],
    }
    return draft._replace(
        title=title if title and _is_told(title, question.source) else draft.title,
        body="\n".join([narrative, *(fact for fact in facts if fact not in narrative)]),
        fields=fields,
    )


def _type(said: str, of_rules: str) -> Observed:
    said = said.strip().casefold()
    if not re.fullmatch(r"[a-z]+", said):  # nothing, or the choice itself
        return Observed(of_rules)
    return Observed(said) if said in set(Observed) else Observed.OTHER


def _memory(reply: str) -> Mapping[str, Any]:
    """Return the fields of a memory, XML or JSON; of one that was cut short those that are complete."""
    if found := _ROOT.search(reply):
        return dict(_fields(found[2]))
    return _json(reply, ("narrative", "facts", "title"))


def _fields(inner: str) -> Iterator[tuple[str, Any]]:
    for name in ("type", "kind", "title", "narrative"):
        if one := re.search(rf"<{name}>(.*?)</{name}>", inner, re.DOTALL):
            yield name, unescape(one[1])
    for name, part in (("tags", "tag"), ("concept", "concept"), ("facts", "fact")):
        yield name, [unescape(one) for one in re.findall(rf"<{part}>(.*?)</{part}>", inner, re.DOTALL)]
    for name in ("read", "modified", "files_read", "files_modified"):
        files = [unescape(one) for one in re.findall(rf"<{name}>(.*?)</{name}>", inner, re.DOTALL)]
        yield name, [line for one in files for line in re.sub(r"</?file>", "\n", one).splitlines()]


# What was said


def _of_said(told: Mapping[str, Any], question: Inquiry) -> Iterator[Draft]:
    for one, correction in [
        *((one, False) for one in _listed(told, "facts")),
        *((one, True) for one in _listed(told, "corrections")),
    ]:
        subject, predicate, said = (_line(one.get(name)) for name in ("subject", "predicate", "object"))
        confidence = _CORRECTED if correction else _number(one.get("confidence"))
        whole = f"{subject} {predicate} {said}"
        short = all(_SHORTEST <= len(part) <= _LONGEST for part in (subject, predicate, said))
        if confidence < _LEAST_FACT or not short or not _is_told(whole, question.source) or _is_known(whole, question):
            continue
        fields = {
            "subject": subject,
            "predicate": predicate,
            "object": said,
            "denied": False,
            "correction": correction,
            "definite": False,
        }
        said_by = Speaker.MODEL if _is_own(said, question) else Speaker.ASSISTANT
        yield _draft(question, FACT, fact_key(subject, predicate), "", whole, confidence, fields, said_by)
    for one in _listed(told, "competence"):
        name, signal = clipped(_line(one.get("name")), _LONGEST), clipped(_line(one.get("signal")), MAX_FACT)
        steps = [clipped(step, MAX_FACT) for step in _lines(one.get("steps")) if _is_told(step, question.source)][
            :_STEPS
        ]
        confidence = _number(one.get("confidence"))
        if confidence >= _LEAST_SKILL and name and steps:
            key = f"skill:{name.casefold().removeprefix('skill:')}"
            fields = {
                "recipe": [{"step": step, "tool": ""} for step in steps],
                "triggers": [{"signal": signal, "confidence": confidence}],
            }
            body = "\n".join(filter(None, [signal if _is_told(signal, question.source) else "", *steps]))
            yield _draft(question, SKILL, key, key, body, confidence, fields, Speaker.ASSISTANT)


def _draft(
    question: Inquiry,
    kind: Kind,
    key: str,
    title: str,
    body: str,
    confidence: float,
    fields: Mapping[str, Any],
    said_by: Speaker,
) -> Draft:
    run = question.run
    evidence = tuple(said.id for said in (*run.asked, *run.answered))
    return Draft(
        kind, key, title, body, said_by, min(confidence, _MOST), run.at, run.session, run.name, evidence, fields
    )


def _is_own(said: str, question: Inquiry) -> bool:
    """Say whether the person's own words hold all of it."""
    return text.terms(said).distinct <= text.terms(question.own).distinct


def _is_known(whole: str, question: Inquiry) -> bool:
    """Say whether rules have taken a sentence that holds all of it."""
    terms = text.terms(whole).distinct
    said = [draft for draft in question.known if draft.kind in (FACT, DECISION, PREFERENCE)]
    return any(terms <= text.terms(draft.body).distinct for draft in said)


def _is_told(said: str, source: str) -> bool:
    """Say whether no number, path or identifier of it is the model's own."""
    told = source.casefold()
    marked = (one.strip(".,:-").casefold() for one in _MARKED.findall(said))
    return all(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", told) for one in marked if one)


# Shapes


def _json(reply: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    found = _OBJECT.search(reply)
    try:
        told = orjson.loads(found[0]) if found else None  # no NaN, nothing too deep
    except ValueError:
        told = None
    if not isinstance(told, dict) or not told.keys() & set(names):
        raise Unusable(
            f"the reply is not what was asked for: {clipped(clean_text(reply), 80)!r}"
            if reply.strip()
            else "the reply is empty"
        )
    return told


def _listed(told: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = told.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _lines(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [line for one in values if (line := _line(one))]


def _line(value: Any) -> str:
    return " ".join(clean_text(value).split()) if isinstance(value, str) else ""


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
