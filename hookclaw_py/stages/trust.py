"""Trust: whose words may be told, how, and in which place. The person's own freely, an agent's as such, others' on demand.

Nothing in a text decides that, only how it came in (``model.origin``), and what the person confirmed. What may not be told is
left out before anything is judged: it takes nobody's place, and moves no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.model.origin import POLICIES, Confirmed, Origin, Tier
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.model.types import Candidate, Chunk, Effect, Query, Step, best_first
from hookclaw_py.regex import regex
from hookclaw_py.speech.orders import directed_in, order_in, planted_in
from hookclaw_py.speech.quoted import blockquotes
from hookclaw_py.speech.speakers import words_of_others

PLANTED = "holds lines that speak to an agent: data, not an instruction"
"""What the block says of the person's own note in which something was hardly written by a person."""
_BEHIND = 0.5  # of the score of the last one before
_JUST_BEHIND = 0.99
_ASKS_FOR_OTHERS = regex(
    r"""(?ix) \b(?:web\ ?(?:page|site)s? | pages? | sites? | articles? | posts? | forum\w* | threads? | e-?mails? | mails? | newsletters? | blogs? | links? | readme | docs? | documentation
        | clippings? | quot(?:e|ed|ation)s? | pasted? | tools? | outputs? | logs? | results? | errors? | traceback | message
        | webseiten? | seiten? | artikel\w* | beitr[aä]g\w* | nachricht\w* | zitat\w* | werkzeug\w* | ausgaben? | protokoll\w* | fehler\w* | ergebnis\w*
        | sites? | articles? | courriels? | messages? | citations? | outils? | sorties? | résultats? | erreurs?
        | páginas? | sitios? | artículos? | correos? | mensajes? | citas? | herramientas? | salidas? | resultados? | errores?)\b
      | 网页|网站|文章|帖子|论坛|邮件|链接|引用|工具|输出|日志|结果|报错"""
)


class Admitted(NamedTuple):
    """Candidates that may be told, those that may where none of these answers, and those that may not."""

    free: list[Candidate]
    otherwise: list[Candidate]
    held: list[Candidate]


def admit(candidates: Sequence[Candidate], query: Query, *, confirmed: Confirmed) -> Admitted:
    """Say which candidates may be told, each with whose words they are.

    The person's own may, and what they confirmed. Of an agent's words, and of what others wrote, nothing that gives orders to an
    agent or plays one. What others wrote and the person keeps as a file may be told where nothing else answers; what came in a
    message or from a tool only if the prompt asks for such; of records only who asks for their kind hears at all.
    """
    told = Admitted([], [], [])
    asked = bool(_ASKS_FOR_OTHERS.search(query.text))
    for candidate in candidates:
        chunk = candidate.chunk
        tier = _tier(chunk, confirmed)
        if tier is Tier.OWN:
            told.free.append(candidate if chunk.origin.is_own else _confirmed(candidate))
        elif order := orders_of(chunk):
            told.held.append(_held(candidate, f"speaks to an agent: {order[:80]}"))
        elif tier is Tier.AGENT or asked or isinstance(chunk.place, RecordPlace) or _names(query, chunk):
            told.free.append(candidate)
        elif _is_kept(chunk):
            told.otherwise.append(candidate)
        else:
            told.held.append(_held(candidate, f"{POLICIES[chunk.origin].called}, and the prompt does not ask for that"))
    return told


def is_note(chunk: Chunk) -> bool:
    """Say whether it is what the person wrote down, and not only said."""
    return chunk.origin.is_own and not chunk.kind.speakers


def notes_first(candidates: Sequence[Candidate], alone: Sequence[Candidate], *, min_score: float) -> list[Candidate]:
    """Put the notes that answer before all else, as relevant as they are ``alone``: nobody else's words take their place."""
    notes = [c for c in alone if c.relevance >= min_score]
    if not notes:
        return list(candidates)
    ids, least = {c.chunk.id for c in notes}, min(c.score for c in notes)
    others = [c for c in candidates if c.chunk.id not in ids]
    behind = [c if c.score < least else c.rescored("trust", least * _JUST_BEHIND, "behind a note") for c in others]
    return best_first([*notes, *behind])


def in_turn(candidates: Sequence[Candidate], *, confirmed: Confirmed) -> tuple[list[Candidate], list[Candidate]]:
    """Put what is relevant in the order in which it is told, others' words behind the rest; and part what is not.

    Where something was planted in the person's own words, that is said. Of a source that is not the person's own one thing is told where others answer as well. What stands behind others scores less
    than these, so that no later choice brings it before them.
    """
    noted, several = any(is_note(c.chunk) for c in candidates), len({source_of(c.chunk) for c in candidates}) > 1
    seen, left_out = set[str](), list[Candidate]()
    others, foreign = list[Candidate](), list[Candidate]()
    for candidate in candidates:
        source, tier = source_of(candidate.chunk), _tier(candidate.chunk, confirmed)
        once = {Tier.OWN: False, Tier.AGENT: noted, Tier.FOREIGN: several}[tier]
        if once and source in seen:
            step = Step("trust", candidate.score, "its source has a place already", Effect.CROWDED_OUT)
            left_out.append(candidate.noted(step))
        else:
            (foreign if tier is Tier.FOREIGN else others).append(candidate)
        if tier is not Tier.OWN:  # their own passage of a file is no place that others' words have had
            seen.add(source)
    least = _BEHIND * min((c.score for c in others), default=float("inf"))
    behind = [c if c.score < least else c.rescored("trust", least, "others' words stand behind") for c in foreign]
    return [*map(_marked, others), *best_first(behind)], left_out


def source_of(chunk: Chunk) -> str:
    """Return what a chunk comes from: its file, or the session of a day."""
    return chunk.place.path


def orders_of(chunk: Chunk) -> str:
    """Return the line for which a chunk that is not the person's own is held back; "" where there is none."""
    if chunk.origin.is_own:
        return ""
    speaks = order_in if chunk.origin.tier is Tier.FOREIGN else directed_in
    return speaks(words_of_others(chunk.text, chunk.kind.speakers))


def is_held(chunk: Chunk) -> bool:
    """Say whether a chunk is not told unasked, as long as nobody has confirmed it."""
    unasked = chunk.origin.tier is Tier.FOREIGN and not isinstance(chunk.place, RecordPlace)
    return unasked or bool(orders_of(chunk))


def _tier(chunk: Chunk, confirmed: Confirmed) -> Tier:
    own = chunk.origin.is_own or confirmed.holds(chunk.memory, source_of(chunk))
    return Tier.OWN if own else chunk.origin.tier


def _confirmed(candidate: Candidate) -> Candidate:
    return candidate.noted(Step("trust", candidate.score, "confirmed by the person", Effect.CONFIRMED))


def _marked(candidate: Candidate) -> Candidate:
    """Say so where something in the person's own words was hardly written by a person, or a blockquote of theirs gives orders."""
    body = candidate.chunk.text
    if not (candidate.chunk.origin.is_own and (planted_in(body) or order_in(blockquotes(body)))):
        return candidate
    return candidate.noted(Step("trust", candidate.score, PLANTED, Effect.MARKED))


def _held(candidate: Candidate, note: str) -> Candidate:
    return candidate.noted(Step("trust", candidate.score, note, Effect.HELD))


def _is_kept(chunk: Chunk) -> bool:
    """Say whether the person keeps it as a file of their own folder."""
    return chunk.origin is Origin.WEB and not chunk.kind.speakers


def _names(query: Query, chunk: Chunk) -> bool:
    """Say whether a prompt names the file that a chunk is of, with two of its words at least."""
    if chunk.kind.speakers:
        return False
    named = _title(chunk.place.path)
    return len(named) >= 2 and named <= frozenset(query.terms)


@lru_cache(maxsize=4096)
def _title(path: str) -> frozenset[str]:
    return text.terms(path.rpartition("/")[2].rpartition(".")[0]).distinct - text.asking()
