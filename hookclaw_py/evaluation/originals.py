"""The files of LoCoMo and LongMemEval as their authors publish them, read under the authors' own rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hookclaw_py.evaluation.sets import UNDATED, Document, LabelledPrompt, MemorySet, SetError, digest_of
from hookclaw_py.regex import regex

LOCOMO_CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_EVIDENCE = regex(r"D:?\s*(\d+)\s*:\s*0*(\d+)")  # also "D:11:26", "D30:05" and "D8:6; D9:17"


def load_original(file: Path) -> MemorySet:
    """Read ``locomo10.json`` or a ``longmemeval_*.json``.

    Raises:
        SetError: if the file is neither.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SetError(f"{file}: cannot be read: {error}") from error
    first = data[0] if isinstance(data, list) and data and isinstance(data[0], dict) else {}
    if "conversation" in first and "qa" in first:
        return _locomo(data, file)
    if "haystack_sessions" in first:
        return _longmemeval(data, file)
    raise SetError(f"{file}: is neither a LoCoMo nor a LongMemEval file")


def _locomo(data: Sequence[Mapping[str, Any]], file: Path) -> MemorySet:
    """Read LoCoMo: a conversation is a store, a turn a document; adversarial questions have no answer.

    A question is asked at the time of the last session, since the data gives it no date.
    """
    documents: list[Document] = []
    prompts: list[LabelledPrompt] = []
    qrels: dict[str, dict[str, int]] = {}
    session_qrels: dict[str, dict[str, int]] = {}
    for number, sample in enumerate(data):
        name = str(sample.get("sample_id") or f"conv-{number}")
        turns = list(_locomo_turns(name, sample["conversation"], file))
        known = {document.id for document in turns}
        last = max((d.created_at for d in turns if d.created_at), default=None)
        documents += turns
        for place, qa in enumerate(sample["qa"]):
            prompt = f"{name}:q{place}"
            category = LOCOMO_CATEGORIES.get(int(qa.get("category", 0)), "")
            cited = _EVIDENCE.findall(" ".join(map(str, qa.get("evidence") or [])))
            found = [f"{name}:D{session}:{turn}" for session, turn in cited]
            qrels[prompt] = {document: 1 for document in found if document in known}
            session_qrels[prompt] = {f"{name}:S{session}": 1 for session, _ in cited}
            answer = qa.get("answer")
            prompts.append(
                LabelledPrompt(
                    id=prompt,
                    text=str(qa["question"]),
                    asked_at=last or UNDATED,
                    category=category,
                    group=name,
                    answerable=category != "adversarial",
                    answers=() if answer is None else (str(answer),),
                )
            )
    return MemorySet(
        file.stem,
        tuple(documents),
        tuple(prompts),
        qrels,
        session_qrels,
        licence="CC BY-NC 4.0",
        digest=digest_of([file]),
    )


def _locomo_turns(name: str, conversation: Mapping[str, Any], file: Path) -> Iterator[Document]:
    for key, turns in conversation.items():
        found = re.fullmatch(r"session_(\d+)", key)
        if not found or not isinstance(turns, list):
            continue
        written = str(conversation.get(f"{key}_date_time", ""))
        created_at = _at(written, "%I:%M %p on %d %B, %Y", f"{file}: {name} {key}") if written else None
        for turn in turns:
            text = f"{turn['speaker']}: {turn.get('text', '')}"
            if turn.get("blip_caption"):
                text += f" [shared image: {turn['blip_caption']}]"
            yield Document(f"{name}:{turn['dia_id']}", text, created_at, group=name, session=f"{name}:S{found[1]}")


def _longmemeval(data: Sequence[Mapping[str, Any]], file: Path) -> MemorySet:
    """Read LongMemEval: a question's haystack is a store, each turn of the user a document.

    The official rules: the evidence are the turns that ``has_answer`` marks in sessions named "answer"; such a session's
    other turns are renamed "noans"; a session counts as evidence when one of its user turns does; questions whose id
    ends in ``_abs`` have no answer and no say in the ranking. A question without evidence among the user's turns is not
    judged here (the official recall_all counts it as found).
    """
    documents: list[Document] = []
    prompts: list[LabelledPrompt] = []
    qrels: dict[str, dict[str, int]] = {}
    session_qrels: dict[str, dict[str, int]] = {}
    for entry in data:
        question, where = str(entry["question_id"]), f"{file}: {entry['question_id']}"
        turns = list(_longmemeval_turns(entry, where))
        documents += turns
        qrels[question] = {d.id: 1 for d in turns if "answer" in d.id.removeprefix(f"{question}/")}
        session_qrels[question] = {d.session: 1 for d in turns if d.id in qrels[question]}
        prompts.append(
            LabelledPrompt(
                id=question,
                text=str(entry["question"]),
                asked_at=_longmemeval_time(str(entry["question_date"]), where),
                category=str(entry["question_type"]),
                group=question,
                answerable=not question.endswith("_abs"),
                answers=(str(entry["answer"]),),
            )
        )
    return MemorySet(
        file.stem, tuple(documents), tuple(prompts), qrels, session_qrels, licence="MIT", digest=digest_of([file])
    )


def _longmemeval_turns(entry: Mapping[str, Any], where: str) -> Iterator[Document]:
    question = entry["question_id"]
    stories = zip(entry["haystack_session_ids"], entry["haystack_sessions"], entry["haystack_dates"], strict=True)
    seen: set[str] = set()
    for session, turns, date in stories:
        if session in seen:  # a filler session that was drawn twice
            continue
        seen.add(session)
        created_at = _longmemeval_time(date, where)
        for place, turn in enumerate(turns, start=1):
            if turn["role"] != "user":
                continue
            name = f"{session}_{place}"
            if "answer" in session and not turn.get("has_answer"):
                name = name.replace("answer", "noans")
            yield Document(f"{question}/{name}", turn["content"], created_at, group=question, session=session)


def _longmemeval_time(written: str, where: str) -> datetime:
    return _at(re.sub(r"\s*\(\w+\)", "", written), "%Y/%m/%d %H:%M", where)


def _at(written: str, form: str, where: str) -> datetime:
    try:
        return datetime.strptime(written, form).replace(tzinfo=UTC)
    except ValueError:
        raise SetError(f"{where}: {written!r} is not a time like {form}") from None
