"""What a person asks in a session to be forgotten of what they said: its records are taken back on their word, its clauses go.

What they asked it of is kept as a record that was taken back: so it stays gone when an earlier session goes on, and says why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from itertools import chain, pairwise
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.consolidate.consolidator import consolidate
from hookclaw_py.consolidate.revising import retract, supersede, upheld
from hookclaw_py.consolidate.set_right import heed, says
from hookclaw_py.consolidate.topics import WORDED
from hookclaw_py.consolidate.writing import Writable, write
from hookclaw_py.distil.runs import FEW
from hookclaw_py.distil.terms import folded
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.kind import FACT, PRACTISED, SESSION
from hookclaw_py.model.record import Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.model.types import Chunk
from hookclaw_py.speech import phones
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.unsaying import (
    in_answer,
    is_sure,
    left_open,
    speaks_of,
    statements_of,
    takes_back_last,
    to_be_forgotten,
    without,
)
from hookclaw_py.store.values import SetRight

_WHY = "the person asked to forget what they said about it"
_LAST = "the person took back what they had just said"
_BACK = "the person took back what had taken its place"
_TOO_MUCH = "the person asked to forget what they said about it: nothing was forgotten, {} statements hold that word; more words say which"
_NOTHING = f"{_WHY}: nothing that they said holds all of these words"


def unsay(store: Writable, prompts: Sequence[Happening], *, zone: tzinfo, actor: str) -> None:
    """Do what these prompts ask to be forgotten.

    Raises:
        StoreError: if the store cannot be read or written.
    """
    for prompt in prompts:
        for words in to_be_forgotten(_text(prompt)):
            _forget(store, words, prompt, zone=zone, actor=actor)


def take_back_last(store: Writable, told: Sequence[Happening], news: Collection[str], *, zone: tzinfo) -> None:
    """Take back what was made of the prompts of a session that the next one, which is among the ``news``, takes back; said again it holds again.

    Raises:
        StoreError: if the store cannot be read or written.
    """
    prompts = [one for one in told if one.kind is HappeningKind.PROMPT]
    for before, order in pairwise(prompts):
        if order.id not in news or not takes_back_last(_text(order), _text(before)):
            continue
        standing = store.records(kinds=WORDED, session=order.session, standing=True)
        meant = [one for one in standing if one.at == before.at and one.said_by is Speaker.PERSON and not one.pinned]
        right = list[SetRight]()
        for record in meant:
            known = _known_before(store, record, before)
            changes = [_says_again(record, known, order)] if known else _gone(store, record, before, order)
            write(store, changes, zone=zone, at=order.at, actor=Speaker.PERSON)
            right.append(SetRight(order.at, record.body, known))
        heed(store, zone=zone, told=right)


def _known_before(store: Writable, record: Record, prompt: Happening) -> str:
    """Return what a record said before this prompt gave it other words, "" where it did not."""
    bodies = [(entry.body, prompt.id in entry.evidence) for entry in store.record_history(record.id)]
    changed = [older for (older, _), (newer, by_it) in pairwise(bodies) if by_it and newer != older]
    return changed[0] if changed else ""


def _says_again(record: Record, words: str, order: Happening) -> RecordChange:
    """Let a record say again what it had said, as surely as it does now."""
    again = supersede(record, words, [], why=_LAST, now=order.at)[0]
    return again._replace(record=replace(again.record, confidence=record.confidence), evidence=(order.id,))


def _gone(store: Writable, record: Record, prompt: Happening, order: Happening) -> list[RecordChange]:
    """End a record that was made of a prompt; what it had taken the place of stands again."""
    rivals = store.records(kinds=[record.kind], about=record.about, standing=True)
    gone = RecordChange(replace(record, status=RecordStatus.SUPERSEDED), RecordAction.SUPERSEDED, _LAST, (order.id,))
    links = [link for link in store.record_links([record.id]) if link.source == record.id]
    replaced = filter(None, (store.record(link.target) for link in links if link.relation == Relation.SUPERSEDES))
    back = [
        RecordChange(replace(one, status=RecordStatus.ACTIVE), RecordAction.CONFIRMED, _BACK, (order.id,))
        for one in replaced
        if one.status is RecordStatus.SUPERSEDED and prompt.id in store.record_history(one.id)[-1].evidence
    ]
    ids = {change.record.id for change in back}
    store.remove_links(link for link in links if link.target in ids)
    return [gone, *back, *upheld(record, rivals, _LAST)]


def _text(prompt: Happening) -> str:
    return str(prompt.payload.get("text", ""))


def _forget(store: Writable, words: str, prompt: Happening, *, zone: tzinfo, actor: str) -> None:
    every = [
        record
        for record in store.records(standing=True)
        if record.at <= prompt.at and record.kind not in PRACTISED and not record.pinned
    ]
    earlier = [record for record in every if speaks_of(f"{record.title}\n{record.body}", words)]
    turns = _turns(store, words, until=prompt.at)
    meant, why, unnamed = [words], _WHY, list[str]()
    if is_sure(words):
        unnamed = _once(chain(*(left_open(turn.person, words) for turn in turns), _of_phone(words, turns, every)))
        of_it = [turn for turn in turns if speaks_of(turn.person, words)]
        answered = _once(chain(*(in_answer(turn.others, words) for turn in of_it)))
        said = _once(chain(*(statements_of(turn.person, words) for turn in of_it)))
        in_other_forms = [one for one in said if not says(one, [SetRight(prompt.at, words, "")])]  # "Linas", "Lina"
        meant += [*in_other_forms, *unnamed, *answered]
        if not (earlier or unnamed or of_it):
            why = _NOTHING
    else:
        meant, answered = _statements(turns, earlier, words)
        if not 0 < len(meant) <= FEW:
            earlier, meant, answered, why = [], [words], [], _TOO_MUCH.format(len(meant))
        meant = _once([*meant, *answered])
    orders = [_order(one, prompt) for one in meant]
    for order in orders:
        write(store, order, zone=zone, at=prompt.at, actor=actor)
    asked = [change.record for order in orders for change in order]
    gone = [change for record in asked for change in retract(record, [], why=why, now=prompt.at)]
    gone += [change for record in earlier for change in _without(record, words, why, prompt)]
    gone += [
        change
        for record in every
        if record not in earlier and (one := next((one for one in unnamed if speaks_of(record.body, one)), ""))
        for change in _without(record, one, why, prompt)
    ]
    write(store, gone, zone=zone, at=prompt.at, actor=Speaker.PERSON)
    heed(store, zone=zone, told=[SetRight(prompt.at, one, "") for one in meant])


def _without(record: Record, words: str, why: str, prompt: Happening) -> list[RecordChange]:
    """Let a record say only what else it said; take back one that said nothing else."""
    left = without(record.body, words) if record.kind in WORDED and not record.title else ""
    if not telling(left):
        return retract(record, [], why=why, now=prompt.at)
    fields = {**record.fields, "subject": "", "predicate": "", "object": left} if record.kind == FACT else record.fields
    said = replace(record, about=folded(left), body=left, fields=fields)
    return [RecordChange(said, RecordAction.SUPERSEDED, why, (prompt.id,))]


def _of_phone(words: str, turns: Sequence[_Turns], records: Sequence[Record]) -> Iterable[str]:
    """Return what tells the phone number that these words name and calls it otherwise, in turns and records."""
    told = [one for turn in turns for one in (turn.person, turn.others)]
    told += [record.body for record in records if record.kind in WORDED]
    return chain(*(phones.said_otherwise(one, words) for one in told))


def _order(words: str, prompt: Happening) -> list[RecordChange]:
    draft = Draft(
        FACT, f"unsaid {folded(words)}", "", words, Speaker.PERSON, 0.8, prompt.at, prompt.session, "", (prompt.id,), {}
    )  # fmt: skip
    return consolidate(draft, [])


def _statements(turns: Sequence[_Turns], records: Sequence[Record], words: str) -> tuple[list[str], list[str]]:
    """Return the clauses that hold these words, each once: a person's, in these turns, and those of their records; and what these turns answer."""
    said = [statements_of(turn.person, words) for turn in turns]
    said += [statements_of(record.body, words) for record in records if record.kind in WORDED]
    answered = [statements_of(turn.others, words) for turn in turns if statements_of(turn.person, words)]
    return _once(chain(*said)), _once(chain(*answered))


def _turns(store: Writable, words: str, *, until: datetime) -> list[_Turns]:
    """Return what was said until then in passages that hold these words."""
    chunks = (chunk for chunk in store.all_chunks() if chunk.kind is SESSION and telling(words) <= chunk.terms.distinct)
    return [_by_whom(chunk) for chunk in chunks if chunk.created_at is not None and chunk.created_at <= until]


def _once(every: Iterable[str]) -> list[str]:
    return list({text.terms(one).distinct: one for one in every}.values())


class _Turns(NamedTuple):
    """What the person says in the turns of a passage, and what the others do."""

    person: str
    others: str


def _by_whom(chunk: Chunk) -> _Turns:
    person, *others = (f"{speaker}: " for speaker in chunk.kind.speakers)
    own, answered, is_own = list[str](), list[str](), False
    for line in chunk.text.split("\n"):
        who = next((one for one in (person, *others) if line.startswith(one)), "")
        is_own = who == person if who else is_own
        (own if is_own else answered).append(line.removeprefix(who))
    return _Turns("\n".join(own), "\n".join(answered))
