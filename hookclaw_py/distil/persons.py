"""What was said, as drafts: a person's facts, decisions, preferences and next steps, and facts of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hookclaw_py.distil.decisions import Wish, Wished, wishes
from hookclaw_py.distil.facts import Fact, facts, facts_of
from hookclaw_py.distil.pasted import without_pasted
from hookclaw_py.distil.runs import Episode, Said, SessionRuns
from hookclaw_py.distil.sayings import answer_to, is_read, sayings, unread
from hookclaw_py.distil.statements import may_be_told
from hookclaw_py.distil.terms import fact_key, folded
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import DECISION, FACT, PREFERENCE, WORKING, Kind
from hookclaw_py.regex import regex
from hookclaw_py.speech.amending import amended, amended_value
from hookclaw_py.speech.ending import may_end
from hookclaw_py.speech.finishing import only_says_done
from hookclaw_py.speech.hedges import is_noted, is_supposed, refutes, reported
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import Sentence, sentences
from hookclaw_py.speech.taking_back import returns, taken_back
from hookclaw_py.speech.unsaying import takes_back_last, without_taking_back
from hookclaw_py.speech.values import sets_right
from hookclaw_py.text import count_words

_SAID = 0.8  # a person's own word, asked to be kept
_READ = 0.5  # what a pattern made of a sentence
_NEEDS = regex(
    r"(?i)(?!.*\b(?:i|we|you|he|she|they|remind)\b)(?:the|this|that|these|those|all|[\w-]+s)\b.*\bneeds?\ to\b"
)
_LATER = regex(
    r"(?i)\b(?:i(?:['’]ll|\ will|\ can(?:not)?|\ could|['’]d)|still|open|not|n['’]t|noted|remind|later|once|failed|next)\b"
)
"""What an answer says that has not done it."""
_IT_IS = regex(
    r"(?xi) (?:(?:no+|nope|ok|sorry|actually|but|nein|non)\b[\s,.:–-]*)* (?:it['’]?s|it\ is|the\ time\ is|es\ ist|il\ est|son\ las)"
    r"\ (?:(?:now|about|around|already|jetzt|schon|gegen|etwa|ungefähr|ya|déjà)\ )*\d{1,2}(?:[:.h]\d\d|\s?(?:am|pm|uhr)\b)"
)
"""What the time is: "it's 14:30 now"."""
_CHOICE = regex(
    r"(?i)\b(?:or|oder|ou|o|ó)\b|^(?:(?:and|so|ok|und|et|y)\b[\s,]*)*(?:which|what|welche[rsnm]?|was\ für|quel(?:le)?s?|cuál(?:es)?|qué)\b"
)
_FEWEST_WORDS = 5
"""With fewer a decision hardly says of what it is."""
_HARDLY = 2
"""Telling terms of a sentence that says of what the next one sets a value right: "the ferry moved! the 9th, not the 8th"."""
_TOLD = 2  # sentences: an answer begins with what was done
_KIND_OF = {Wish.DECISION: DECISION, Wish.PREFERENCE: PREFERENCE, Wish.NEXT: WORKING}


def said_in(session: SessionRuns) -> list[Draft]:
    """Return what was said in a session that is worth keeping, in order."""
    found: list[Draft] = []
    asked, question, before, gone = "", "", list[Draft](), _taken_back(session)
    for number, run in enumerate(session.runs):
        for said in run.asked:
            before = [] if said.id in gone else _drafts_of(run, said, before, asked)
            found += (_with_question(draft, question) for draft in before)
            question = _choice_in(said.text)
        asked = run.answered[-1].text if run.answered else ""
        question = _choice_in(asked) or question
        following = session.runs[number + 1].prompt if number + 1 < len(session.runs) else ""
        if any(call.ok for call in run.calls) and not refutes(following):
            for said in run.answered:
                found += _of_assistant(run, said)
    return found


def _choice_in(text: str) -> str:
    """Return the question that a text ends with, where it is one between several, or of which: "17 or 21 for the boiler?"."""
    last = next(iter(sentences(text)[-1:]), None)
    return (
        last.said if last and last.said.endswith(("?", "？")) and not last.is_long and _CHOICE.search(last.bare) else ""
    )


def _with_question(draft: Draft, question: str) -> Draft:
    """Return a decision that hardly says what was decided ("let's take 21") with the question that it answers."""
    if draft.kind is not DECISION or draft.ends or not question or count_words(draft.body) >= _FEWEST_WORDS:
        return draft
    body = f"{question} {draft.body}"
    return draft._replace(body=body, key=f"{DECISION.name} {folded(body)}")


def _drafts_of(run: Episode, said: Said, before: Sequence[Draft], asked: str) -> list[Draft]:
    """Return what a prompt says that is worth keeping: that of the one ``before``, set right, or what it says itself."""
    return _amended(run, said, before, asked) or list(_of_person(run, said, asked))


def _taken_back(session: SessionRuns) -> frozenset[str]:
    """Return the prompts that the one after them takes back."""
    every = [said for run in session.runs for said in run.asked]
    return frozenset(said.id for said, following in pairwise(every) if takes_back_last(following.text, said.text))


def _of_person(run: Episode, said: Said, asked: str) -> Iterator[Draft]:
    own = without_pasted(said.text)
    text = without_taking_back(own)
    every = sentences(text)
    wished = wishes(text)
    taken = {number for wish in wished for number in range(_first_of_its_own(wish), wish.until)}
    found: list[Draft] = []
    stated = {wish.at for wish in wished if _states_a_fact(wish, every)}
    for wish in (wish for wish in wished if wish.at not in stated and not _was_done(wish, run)):
        kind, fields = _KIND_OF[wish.wish], _fields_of_wish(wish.wish, run)
        key = f"{kind.name} {folded(wish.said)}"
        found.append(_draft(run, said, kind, key, wish.said, confidence=_SAID, fields=fields))
    over = {number for number, one in enumerate(every) if only_says_done(one) or _tells_the_time(one, asked)}
    for number, sentence in enumerate(every):
        strict = facts_of(sentence) if number not in over and len(sayings([sentence])) <= 1 else []
        told = [_fact(run, said, fact, _body(sentence, strict, fact), Speaker.PERSON) for fact in strict]
        found += [draft._replace(confidence=_SAID) for draft in told] if number in stated else told
        taken |= {number} if strict else set()
    for saying in sayings(every, taken | over, corrects=text != own or (bool(asked) and refutes(text))):
        fact = saying.fact._replace(correction=saying.fact.correction or saying.explicit)
        found.append(_fact(run, said, fact, saying.said, Speaker.PERSON))
    if asked and not wished and (answer := answer_to(asked, every)):
        found.append(_fact(run, said, Fact("", "", answer), answer, Speaker.PERSON))
    yield from found
    wanted = {number for wish in wished for number in range(wish.at, wish.until)}
    rest = [one for number, one in enumerate(every) if number not in wanted]
    bodies = [draft.body for draft in found]
    yield from _endings(run, said, [one for one in rest if not is_read(one.said, bodies)])
    heard = any(is_noted(answer.text) for answer in run.answered)
    if heard and (noted := unread([one for one in rest if not only_says_done(one)], bodies)):
        yield _fact(run, said, Fact("", "", noted), noted, Speaker.PERSON)


def _amended(run: Episode, said: Said, before: Sequence[Draft], asked: str) -> list[Draft]:
    """Return the fact that was said ``before`` with the value that this prompt sets right and says nothing else; a question is answered by it."""
    value = "" if asked.rstrip().endswith(("?", "？")) else amended_value(said.text)
    if not value:
        return []
    found = []
    for draft in before:
        told = str(draft.fields.get("object", ""))
        body, other = amended(draft.body, value), amended(told, value)
        if draft.kind is FACT and told and body and (other is None or body == draft.body.replace(told, other, 1)):
            fields = {**draft.fields, "object": other or body, "correction": True}  # or it stands behind the object
            found.append(_draft(run, said, FACT, draft.key, body, confidence=_SAID, fields=fields))
    return found if len(found) == 1 else []


def _endings(run: Episode, said: Said, every: list[Sentence]) -> Iterator[Draft]:
    """Yield what nothing else was made of, and may end something that was said before: it is done, not wanted any more, or has another value."""
    before = ""
    for one in every:
        other = not (one.asks or one.is_long or is_supposed(one.bare)) and sets_right(one.bare)
        led, before = before, "" if one.asks or len(telling(one.bare)) > _HARDLY else one.said
        if not other and not may_end(one):
            continue
        kind = DECISION if other or taken_back(one) or returns(one) else WORKING
        fields: dict[str, object] = {"thread": run.session, "state": "done"} if kind is WORKING else {}
        body = f"{led} {one.said}" if led and other else one.said
        draft = _draft(run, said, kind, f"{kind.name} {folded(body)}", body, confidence=_SAID, fields=fields)
        yield draft._replace(ends=True)


def _tells_the_time(said: Sentence, asked: str) -> bool:
    """Say whether a sentence only sets right what the answer before it took the time to be: that holds for no longer than it is said."""
    return bool(_IT_IS.match(said.bare)) and any(map(_IT_IS.match, (one.bare for one in sentences(asked))))


def _states_a_fact(wish: Wished, every: list[Sentence]) -> bool:
    """Say whether what reads like a preference is a fact ("Petra is allergic to nuts"): then it is that alone, and as sure."""
    alone = wish.wish is Wish.PREFERENCE and wish.until == wish.at + 1
    return alone and bool(facts_of(every[wish.at]))


def _was_done(wish: Wished, run: Episode) -> bool:
    """Say whether what something "needs to" be was asked of the agent, which has done it at once and says so."""
    if wish.wish is not Wish.NEXT or not _NEEDS.match(wish.said) or not (run.calls and run.calls[-1].ok):
        return False
    told = [one for answer in run.answered for one in sentences(answer.text)[:_TOLD]]
    return any(not (one.asks or _LATER.search(one.bare)) and telling(wish.said) & telling(one.bare) for one in told)


def _first_of_its_own(wish: Wished) -> int:
    """Return where a wish begins: what a next step refers to may be a fact by itself."""
    return wish.until - 1 if wish.wish is Wish.NEXT else wish.at


def _of_assistant(run: Episode, said: Said) -> Iterator[Draft]:
    for sentence in reported(said.text):
        for fact in filter(may_be_told, facts(sentence)):
            yield _fact(run, said, fact, fact.said, Speaker.ASSISTANT)


def _fields_of_wish(wish: Wish, run: Episode) -> dict[str, object]:
    return {"thread": run.session, "state": "waiting"} if wish is Wish.NEXT else {}


def _body(sentence: Sentence, every: list[Fact], fact: Fact) -> str:
    return sentence.said if len(every) == 1 else fact.said


def _fact(run: Episode, said: Said, fact: Fact, body: str, said_by: Speaker) -> Draft:
    sure = fact.correction and said_by is Speaker.PERSON
    key = fact_key(fact.subject, fact.predicate) if fact.subject else folded(fact.object)
    fields = fact._asdict()
    del fields["said"]
    return _draft(run, said, FACT, key, body, confidence=_SAID if sure else _READ, said_by=said_by, fields=fields)


def _draft(
    run: Episode,
    said: Said,
    kind: Kind,
    key: str,
    body: str,
    *,
    confidence: float,
    fields: dict[str, object],
    said_by: Speaker = Speaker.PERSON,
) -> Draft:
    return Draft(
        kind=kind,
        key=key,
        title="",
        body=body,
        said_by=said_by,
        confidence=confidence,
        at=said.at,
        session=run.session,
        run=run.name,
        evidence=(said.id,),
        fields=fields,
    )
