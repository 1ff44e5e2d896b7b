"""Deeds: the words of one and the same thing that is to be done, in five languages: "call", "rang", "angerufen"."""

from __future__ import annotations

from hookclaw_py import text

_DEEDS = (
    "call called calling phone phoned ring rang anrufen anzurufen angerufen rufe telefoniert appeler appelé llamar llamé llamado",
    "pay paid pays bezahlen bezahlt zahlen gezahlt überweisen überwiesen payer payé pagar pagué pagado",
    "book booked reserve reserved buchen gebucht reservieren reserviert réserver réservé reservar reservé reservado",
    "send sent mail mailed email emailed schicken geschickt abschicken abgeschickt senden gesendet envoyer envoyé enviar envié enviado",
    "order ordered bestellen bestellt commander commandé pedir pedí pedido",
    "buy bought kaufen gekauft einkaufen eingekauft acheter acheté comprar compré comprado",
    "write wrote written schreiben geschrieben écrire écrit escribir escribí escrito",
    "sign signed unterschreiben unterschrieben signer signé firmar firmé firmado",
    "ask asked fragen gefragt nachfragen nachgefragt demander demandé preguntar pregunté preguntado",
    "fix fixed repair repaired mend mended reparieren repariert réparer réparé arreglar arreglé arreglado",
    "check checked prüfen geprüft kontrollieren kontrolliert vérifier vérifié revisar revisé revisado",
    "test tested testen getestet review reviewed", "read lesen gelesen", "install installed installieren installiert",
    "pick picked fetch fetched collect collected abholen abgeholt", "move moved migrate migrated", "cancel cancelled canceled kündigen gekündigt",
    "answer answered reply replied antworten geantwortet", "meet met treffen getroffen", "clean cleaned putzen geputzt", "tell told",
)  # fmt: skip
DEED_OF = {term: number for number, words in enumerate(_DEEDS) for term in text.terms(words)}
"""Which deed a term is of."""


def is_deed(word: str) -> bool:
    """Say whether a word is one of what is done to things that are to be done."""
    return not DEED_OF.keys().isdisjoint(text.terms(word))


def same_deed(newer: str, older: str) -> bool:
    """Say whether two statements may speak of the same deed: one that names none may be of any."""
    ours, theirs = _deeds(newer), _deeds(older)
    return not ours or not theirs or not ours.isdisjoint(theirs)


def shares_deed(newer: str, older: str) -> bool:
    """Say whether two statements name a deed, and the same."""
    return not _deeds(newer).isdisjoint(_deeds(older))


def _deeds(said: str) -> frozenset[int]:
    return frozenset(DEED_OF[term] for term in text.terms(said) if term in DEED_OF)
