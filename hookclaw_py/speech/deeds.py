"""Deeds: the words of one and the same thing that is to be done, in six languages ("call", "rang", "angerufen"), and to what it is done."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.restating import telling

_DEEDS = (
    "call called calling phone phoned ring rang anrufen anzurufen angerufen rufe telefoniert appeler appelle appelé appelée llamar llamé llamado chiamare chiamato chiamata telefonare telefonato",
    "pay paid pays bezahlen bezahlt zahlen gezahlt überweisen überwiesen payer paie paye payé payée pagar pagué pagado pagare pagato pagata",
    "book booked reserve reserved buchen gebucht reservieren reserviert réserver réservé réservée reservar reservé reservado prenotare prenotato prenotata",
    "send sent mail mailed email emailed schicken geschickt abschicken abgeschickt senden gesendet envoyer envoie envoyé envoyée renvoyer renvoie renvoyé renvoyée transmettre transmis transmise enviar envié enviado inviare inviato inviata mandare mandato mandata spedire spedito spedita",
    "order ordered bestellen bestellt commander commandé commandée pedir pedí pedido ordinare ordinato ordinata",
    "buy bought kaufen gekauft einkaufen eingekauft acheter acheté achetée comprar compré comprado comprare comprato comprata",
    "write wrote written schreiben geschrieben écrire écris écrive écrit écrite escribir escribí escrito scrivere scritto scritta",
    "sign signed unterschreiben unterschrieben signer signé signée firmar firmé firmado firmare firmato firmata",
    "ask asked fragen gefragt nachfragen nachgefragt demander demandé demandée preguntar pregunté preguntado chiedere chiesto",
    "fix fixed repair repaired mend mended reparieren repariert réparer réparé réparée arreglar arreglé arreglado riparare riparato riparata",
    "check checked prüfen geprüft kontrollieren kontrolliert vérifier vérifié vérifiée revisar revisé revisado controllare controllato controllata",
    "test tested testen getestet review reviewed", "read lesen gelesen", "install installed installieren installiert",
    "pick picked fetch fetched collect collected abholen abgeholt récupérer récupère récupéré récupérée recoger recogido", "move moved migrate migrated", "cancel cancelled canceled kündigen gekündigt",
    "answer answered reply replied antworten geantwortet", "meet met treffen getroffen", "clean cleaned putzen geputzt", "tell told",
    "change changed wechseln gewechselt changer changé changée cambiar cambié cambiado cambiare cambiato cambiata",
    "deliver delivered liefern geliefert livrer livré livrée entregar entregué entregado consegnare consegnato consegnata",
    "translate translated übersetzen übersetzt traduire traduise traduit traduite traducir traduje traducido tradurre tradotto tradotta",
    "relancer relance relancé relancée", "déposer dépose déposé déposée", "rédiger rédige rédigé rédigée redactar redactado",
    "préparer prépare préparé préparée preparar preparado", "imprimer imprime imprimé imprimée imprimir impreso",
    "fill filled ausfüllen ausgefüllt remplir remplis rempli remplie rellenar rellené rellenado compilare compilato compilata",
    "register registered enrol enroll enrolled anmelden angemeldet inscrire inscris inscrit inscrite inscribir inscribí inscrito iscrivere iscritto iscritta",
    "submit submitted einreichen eingereicht abgeben abgegeben remettre", "beantragen beantragt solicitar solicité solicitado",
    "extend extended verlängern verlängert prolonger prolongé prolongée prorrogar prorrogado prolungare prolungato prolungata",
    "zurückgeben zurückgegeben zurückbringen zurückgebracht zurückschicken zurückgeschickt rendre rendu rendue devolver devolví devuelto restituire restituito restituita",
    "drucken ausdrucken ausgedruckt gedruckt", "upload uploaded hochladen hochgeladen",
    "renew renewed erneuern erneuert renouveler renouvelle renouvelé renouvelée renovar renovado rinnovare rinnovato rinnovata",
)  # fmt: skip
_INFINITIVE = regex(r"\b\w+[aeiéè]r(?=e?\b)")
_ENCLITICS = "le les lo la los las me nos li gli"


_ROMANCE = regex(r"(?:é|í|[aiu]to|[ai]do|rit|duit|ritto|dotto|chiesto|transmis)$")


def _written(words: str) -> str:
    """Return words in their other forms: an infinitive with whom it is done to ("enviarle", "mandarlo"), of what was done all endings."""
    joined = (f"{verb}{end}" for verb in _INFINITIVE.findall(words) for end in _ENCLITICS.split())
    return " ".join((words, *joined, *_participles(words)))


def _participles(words: str) -> Iterator[str]:
    """Yield how one says in French, Spanish and Italian that a deed was done, with all endings."""
    for word in filter(_ROMANCE.search, words.split()):
        ends = ("o", "a", "i", "e", "os", "as") if word.endswith("o") else ("í",) if word.endswith("í") else ()
        yield from (f"{word[:-1]}{end}" for end in ends) if ends else (f"{word}{end}" for end in ("", "e", "s", "es"))


DEED_OF = {term: number for number, words in enumerate(_DEEDS) for term in text.terms(_written(words))}
"""Which deed a term is of."""
DONE = "|".join(sorted({form for words in _DEEDS for form in _participles(words)}))
"""What says in French, Spanish or Italian that a deed was done, in an expression: "envoyé", "pagata"."""

_FILLER = "faut faudra faudrait doit devons dois oublie pense penser prochain prochaine encore avant matin soir hier queda quedan falta faltan tengo tenemos debo debemos acuérdate olvides todavía antes ayer faire fare hacer reste choses cosas cose pendiente sospeso étapes pasos passi semaine semana settimana demain domani mañana aujourd'hui hoy oggi rappelle rappeler recuérdame ricordami ho ai remind reminder todo step steps next need must want tomorrow week erinnere erinnern muss müssen noch morgen fehlt offen already just finally yet to-do ugh argh pff ok okay"
_ON_CONDITION = regex(
    r"""(?xi) \b(?: (?:when(?:ever)?|if|once|as\ soon\ as)\ (?:i|we|you|he|she|they) | (?:wenn|falls|sobald)\ (?:ich|wir|du|er|sie|ihr|man)
      | (?:quand|si|dès\ que)\ (?:je|tu|il|elle|on|nous|vous|j['’]) | (?:cuando|si)\ (?:yo|te|se|me|lo|la) )\b [^,;:.]*"""
)
"""When something else is done than the step: "remind me when I ask what is due"."""
_STILL = regex(r"(?i)\b(?:still|noch|encore|toujours|todavía|aún|ancora)\b")
_MOST = 0.6
"""Part of the words of the one that says less which both must share."""


def is_deed(word: str) -> bool:
    """Say whether a word is one of what is done to things that are to be done."""
    return not DEED_OF.keys().isdisjoint(text.terms(word))


_TO_WHOM = regex(r"(?i)\s(?:à|a|au|aux|al|to)\s+(?:[^\W\d]\S*)(?:\s+(?-i:[A-ZÉÈ])\S*)?$")
_TO_THEM = regex(r"(?i)\b(?:lui|leur|him|her|them|gli)\b|\b(?!(?:parles?|charles)\b)\w+[aei]rles?\b")


def to_whom(newer: str, older: str) -> str:
    """Return to whom a statement says that something was done, where the earlier one called them "him" or "le" and no more: "enviarle el acta"."""
    whom = _TO_WHOM.search(newer) if _TO_THEM.search(older) and not _TO_WHOM.search(older) else None
    return whom[0] if whom else ""


def same_deed(newer: str, older: str) -> bool:
    """Say whether two statements may speak of the same deed: one that names none may be of any."""
    ours, theirs = _deeds(newer), _deeds(older)
    return not ours or not theirs or not ours.isdisjoint(theirs)


def shares_deed(newer: str, older: str) -> bool:
    """Say whether two statements name a deed, and the same."""
    return not _deeds(newer).isdisjoint(_deeds(older))


def _deeds(said: str) -> frozenset[int]:
    return frozenset(DEED_OF[term] for term in text.terms(_ON_CONDITION.sub("", said)) if term in DEED_OF)


@lru_cache(maxsize=4096)
def of_what(said: str) -> frozenset[str]:
    """Return the telling terms of what a statement speaks of, but for deeds and what every step says."""
    return telling(said) - DEED_OF.keys() - _filler()


def names_all(newer: str, older: str) -> bool:
    """Say whether a statement names all that an earlier one speaks of, deeds aside."""
    return of_what(older) <= of_what(newer)


def is_still_to_do(newer: str, older: str) -> bool:
    """Say whether a step says that an earlier one is still to be done: the same deed, to some of the same and to nothing else."""
    what = of_what(newer)
    return bool(_STILL.search(newer) and what) and what <= of_what(older) and shares_deed(newer, older)


def shares_most(newer: frozenset[str], older: frozenset[str]) -> bool:
    """Say whether both share most of the terms of the one that says less."""
    return len(newer & older) >= max(1.0, _MOST * min(len(newer), len(older)))


def numbered(terms: frozenset[str]) -> frozenset[str]:
    """Return the terms that hold a number, "R16": which one or what size it is; seldom does one say that twice."""
    return frozenset(term for term in terms if any(character.isdigit() for character in term))


@lru_cache(maxsize=1)
def _filler() -> frozenset[str]:
    return frozenset(text.terms(_FILLER))
