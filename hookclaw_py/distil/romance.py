"""What a sentence says of something in French or Spanish: "le taux c'est 75 €", "el presupuesto sube a 135.000".

Only what names something, of a subject that somebody could ask for. What one does to another is left to what was said.
"""

from __future__ import annotations

from hookclaw_py import text
from hookclaw_py.distil.facts import Fact
from hookclaw_py.distil.weight import is_telling
from hookclaw_py.regex import regex
from hookclaw_py.speech.sentences import is_secret

_SO = regex(
    r"(?i)(?:(?:bon|et|mais|donc|du coup|alors|sinon|ah|au fait|voil[àa]|super|ok|y|pero|bueno|oye|vale|por cierto)\b[\s,]+)+"
)
_VERB = regex(
    r"""(?xi) (?: ,?\s(?:c['’]est|ce\ sera)
      | (?<=\s)(?: est | sont | s['’]appelle | s['’]appellent | (?:me\ |nous\ )?co[ûu]te(?:nt)? | habite | travaille | commence | finit | termine | dure | vaut | ouvre | ferme | contient | monte | baisse | passe | s['’]élève
        | es | son | está | están | será | serán | tiene | tienen | se\ llama | se\ llaman | cuestan? | vive | trabaja | empieza | termina | dura | vale | abre | cierra | llega | sube | baja | pasa | se\ cambia ) ) (?=\s)"""
)
_IS = ("c'est", "ce sera", "est", "sont", "es", "son", "está", "están", "será", "serán", "s'élève", "monte", "baisse", "passe", "sube", "baja", "pasa", "se cambia")  # fmt: skip
"""What says what something is, or has become: two of these speak of the same."""
_NOT = regex(r"(?i)(?:pas|plus|jamais|rien|personne)\b\s*")
_PASSING = regex(
    r"(?i)(?:(?:encore|toujours|d[ée]j[àa]|todavía|ya|très|trop|muy)\s+)*(?:cassée?s?|en panne|en retard|en cours|malades?|absente?s?|partie?s?|occupée?s?|là|roto|rota|enferm[oa]|ocupad[oa]|de (?:viaje|baja)|aquí|peut-être|quizás?|dans \d+ min\w*|à \d+ ?%)(?!\w)"
)
"""A state that passes."""
_NOW = regex(r"(?i)^(?:maintenant|désormais|ahora)\s+|[\s,]+(?:maintenant|désormais|ahora)$")
_DENIED = regex(r"(?i)\s+(?:ne|n['’]|no|ya\ no)$")
_NO_SUBJECT = frozenset(
    """je j tu il elle on nous vous ils elles ce c ça ca cela celui celle ceux qui que qu quoi quand où comment pourquoi combien si quel quelle quels quelles me m te t se s lui leur y en ne n pas plus
    tout rien personne chacun yo tú usted él ella nosotros ellos ellas eso esto esa ese que qué quien quién cuando cuándo donde dónde como cómo porque si no nada todo nadie dice dit crois pense sais veux creo""".split()  # noqa: SIM905
)
_NOT_FIRST = frozenset(
    """de du des à a en dans sur avec pour par chez sans sous vers depuis après avant pendant et ou mais donc car con para por sin desde hasta sobre tras según o pero e apparemment normalement peut-être probablement selon d'après hier demain quizá quizás seguramente hoy ayer mañana""".split()  # noqa: SIM905
)
_NOT_LAST = frozenset("le la les l' un une des du de d' mon ma mes son sa ses notre nos el los las una mi mis tu su del".split())  # fmt: skip  # noqa: SIM905
_SUBJECT_WORD = regex(r"(?:[cdjlmnst]|qu)?['’]?[^\W_][\w.\-/+#&()]*")
_MOST = 9  # words of a subject
_NEXT_CLAUSE = regex(r",(?=\s|$)|\s+(?:et|mais|car|parce\ que|donc|pero|porque)\s")
_IN_BRACKETS = regex(r"\([^)]*\)")
_LANGUAGES = ("french", "spanish")


def romance(said: str, *, wanted: bool = False) -> Fact | None:
    """Return what a sentence says, None where it is in another language, not telling enough, or a secret that nobody ``wanted`` kept."""
    start = _SO.match(said)
    rest = said[start.end() :] if start else said
    verb = _VERB.search(rest)
    if not verb or text.guess_language(text.words(rest)) not in _LANGUAGES:
        return None
    subject, told = rest[: verb.start()].strip(), rest[verb.end() :].strip()
    denial = _NOT.match(told)
    denied = bool(denial or _DENIED.search(subject))
    subject, told = _DENIED.sub("", subject), told[denial.end() :] if denial else told
    first = _NOW.sub("", _NEXT_CLAUSE.split(told, maxsplit=1)[0].strip())
    if is_secret(rest[: verb.end()]) and not wanted:
        return None
    if not _may_be_subject(subject) or not is_telling(first) or _PASSING.match(first):
        return None
    predicate = verb[0].strip(" ,").lower().replace("’", "'")
    return Fact(subject, "is" if predicate in _IS else predicate, first, denied)


def _may_be_subject(subject: str) -> bool:
    words = _IN_BRACKETS.sub("", subject).split()
    if not 0 < len(words) <= _MOST or _plain(words[0]) in _NOT_FIRST or _plain(words[-1]) in _NOT_LAST:
        return False  # the second is of "mon passe Navigo", where the verb is a noun
    plain = {part for word in words for part in _plain(word).split("'")}
    return plain.isdisjoint(_NO_SUBJECT) and all(_SUBJECT_WORD.fullmatch(word) for word in words)


def _plain(word: str) -> str:
    return word.casefold().replace("’", "'")
