"""Of what a statement says only when it is: "the meet moved! 17 october instead of the 10th"; once that day is over it says nothing that holds.

English, German, French and Spanish. What holds from its day on ("45 euro from 1 January"), what comes again each year and what was over when
it was said is none of it.
"""

from __future__ import annotations

from datetime import datetime

from hookclaw_py.regex import regex
from hookclaw_py.speech.values import dates_in
from hookclaw_py.temporal.mentions import days_named

_IS_ON = regex(
    r"""(?xi) (?: ^ | [!:]\ * | \b(?: is | are | it['’]?s | takes\ place | happens | moved | moves | postponed | shifted | pushed | rescheduled | planned | scheduled | set | fixed
        | ist | sind | wird | wurden? | findet | stattfindet | verschoben | verlegt | geplant | angesetzt | est | sont | a\ lieu | aura\ lieu | repoussée?s? | reportée?s? | avancée?s? | prévue?s? | fixée?s?
        | es | son | será | tiene\ lugar | aplazad[oa]s? | previst[oa]s? ) )
      (?:\ ?(?: now | only | back | to | on | for | at | the | jetzt | nun | erst | am | auf | den | dem | für | zum | maintenant | le | au | à | pour | ahora | el | al | para | [^\W\d]+day | \w+tag | mittwoch | (?:lun|mar|mercre|jeu|vendre|same)di | dimanche | lunes | martes | miércoles | jueves | viernes | sábado | domingo )\b,?)*\ ?$"""
)
"""What stands before a day on which something is."""
_HOLDS_ON = regex(
    r"""(?xi) \b(?: from | since | starting | as\ of | onwards? | every | each | yearly | annual\w* | always | birthday | anniversary | born
      | ab | seit | jede[nsrm]? | jährlich | immer | geburtstag | jahrestag | hochzeitstag | dès | depuis | à\ partir | chaque | tous\ les | anniversaire | née? | desde | a\ partir | cada | todos\ los | cumpleaños | aniversario )\b"""
)


def is_over(said: str, *, written: datetime, now: datetime) -> bool:
    """Say whether a statement tells on which day something is that was to come when it was ``written``, and no day that it names is left by ``now``."""
    days = days_named(said, written=written)
    if not days or max(days) >= now.date().isoformat() or _HOLDS_ON.search(said):
        return False
    dates = (said[begin:end] for begin, end in dates_in(said) if _IS_ON.search(said[:begin]))
    is_on = [day for date in dates for day in days_named(date, written=written)]
    return bool(is_on) and min(is_on) >= written.date().isoformat()
