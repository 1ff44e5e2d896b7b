"""What an answer supposes, proposes or only acknowledges, of which no memory is made; and how a person sets it right."""

from __future__ import annotations

from collections.abc import Iterator

from hookclaw_py.regex import regex
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.text import count_words

_HEDGED = regex(
    r"""(?xi) \b(?: probably | perhaps | maybe | presumably | possibly | likely | apparently | might | may\ be | may | could(?!\ not|n['’]t)
      | would | should | shall | seems? | looks\ like | guess | suspect | suppose | assume[ds]? | assumption | think | believe | expect | guessing
      | suggest | propose | recommend | let\ me\ know | i\ will | i['’]ll | i\ am\ going\ to | going\ to | if\ (?:it|you|the|that|this)
      | often | usually | typically | generally | mostly | many | some\ people | on\ many
      | vermutlich | wahrscheinlich | vielleicht | möglicherweise | wohl | könnte[nst]* | würde[nst]* | sollte[nst]* | dürfte[nst]* | scheint
      | nehme\ an | vermute | glaube | denke | schlage | meist(?:ens)? | oft | üblich\w* | falls\ (?:der|die|das|es|du|sie|er|ich|wir|noch) | wenn
      | peut-être | probablement | sans\ doute | il\ semble | je\ pense | je\ suppose | quizás?s? | tal\ vez | probablemente | parece | creo )\b
      | 可能 | 也许 | 大概 | 应该"""
)
_SUPPOSED = regex(
    r"""(?xi) \b(?: probably | perhaps | maybe | presum(?:e|ably) | possibly | likely | apparently | surely | i\ (?:guess | suspect | suppose | assume | believe | think)
      | my\ guess | (?:may|might|must|could)\ (?:well\ )?be | seems? | looks?\ like | sounds?\ like | known\ cause
      | vermutlich | wahrscheinlich | vielleicht | möglicherweise | wohl | dürfte[nst]* | scheint | klingt\ nach | sieht\ nach | (?:ich\ )?(?:vermute|glaube)
      | peut-être | probablement | sans\ doute | je\ (?:pense|suppose|crois) | quizás?s? | tal\ vez | probablemente | supongo | creo )\b
      | 可能 | 也许 | 大概 | 恐怕"""
)
_AGREES = regex(
    r"""(?xi) (?: (?:oh|ah|hm+|ok|okay|haha)\b [\s,.!]* )* (?: yes | yep | yeah | right | exactly | correct | indeed | true | you['’]?re\ right | that\ was\ it | that['’]s\ it
      | ja\b(?!\ *aber) | genau | stimmt(?!\ nicht) | richtig | oui | exact\w* | sí | exacto | claro )\b | 对 | 是的"""
)
_ACKNOWLEDGES = regex(
    r"""(?xi) (?: ok(?:ay)? | done | noted | understood | agreed | sorry | good | great | sure | right | thanks | thank\ you | all\ right | perfect
      | recorded | corrected | gladly | yes | no | you['’]re\ welcome | you\ are\ right | got\ it | will\ do | alright | of\ course | fine
      | gemerkt | notiert | verstanden | erledigt | gut | gern(?:e)? | klar | danke | entschuldigung | stimmt | ja | nein | mach(?:e)?\ ich
      | sehr\ gut | alles\ klar | in\ ordnung ) \b [^\w]* (?P<rest>.*)"""
)
_NOTED = regex(
    r"""(?xi) (?: (?:ok(?:ay)? | all\ right | good | sorry | yes | thanks | thank\ you | right | gut | danke | ja | klar | mach\ ich | you\ are\ right | you['’]re\ right
        | d['’]accord | oui | bien | très\ bien | parfait | super | entendu | pardon | merci | désolée? | tu\ as\ raison | vous\ avez\ raison | de\ acuerdo | vale | sí | perfecto | claro | perdón | tienes\ razón | muy\ bien )\b [\s,.:;!–—-]* )*
      (?: noted | recorded | remembered | understood | got\ it | corrected | i(?:['’]ll|\ will|\ shall)\ (?:remember|keep|note)
        | gemerkt | notiert | verstanden | ist\ notiert | (?:ich\ )?merke?\ (?:ich\ )?mir | (?:c['’]est\ |bien\ )*(?:noté|enregistré|retenu|corrigé) | je\ (?:le\ |l['’]|m['’]en\ )?(?:note|retiens|souviendrai) | (?:bien\ )?compris | entendu | entendido | anotado | apuntado | corregido | tomo\ nota | lo\ (?:anoto|apunto|recordaré) )\b
      | 记住了 | 已记录 | 明白"""
)
_REFUTES = regex(
    r"""(?xi) (?: (?:oh|hm+|ah|uh|well|eh|äh|ok|okay|haha|lol) [\s,.]+ )* (?:
      (?:no+ | nope | nono+ | nah | wrong | nein | nee | falsch | stimmt\ nicht | quatsch | non | faux | not\ (?:true|quite|right|me|the)
        | don['’]?t\ think\ so | read\ again | look\ again | that['’]?s\ (?:wrong|not) | it\ ?(?:['’]?s\ not|\ is\ ?n['’]?t) | its\ (?:the\ \w+\ one|not) | actually )\b
      | 不 | 错 | we\ don['’]?t\ have | wir\ haben\ (?:gar\ |doch\ )?kein )"""
)


def is_hedged(sentence: str) -> bool:
    """Say whether a sentence supposes or proposes instead of telling what is."""
    return bool(_HEDGED.search(sentence))


def is_supposed(sentence: str) -> bool:
    """Say whether a sentence guesses what is, which a person may know better; a proposal guesses nothing."""
    return bool(_SUPPOSED.search(sentence))


def agrees(prompt: str) -> bool:
    """Say whether a prompt begins by agreeing with what was answered before it."""
    return bool(_AGREES.match(prompt))


def refutes(prompt: str) -> bool:
    """Say whether a prompt begins by setting right what was answered before it."""
    return bool(_REFUTES.match(prompt))


def is_noted(answer: str) -> bool:
    """Say whether an answer begins by saying that it was noted: then what was said was worth it."""
    return bool(_NOTED.match(answer))


def reported(answer: str) -> Iterator[str]:
    """Yield the sentences of an answer that tell what is, without what only acknowledges."""
    for sentence in sentences(answer):
        if sentence.is_long or sentence.asks or is_hedged(sentence.bare):
            continue
        acknowledged = _ACKNOWLEDGES.match(sentence.said)
        if not acknowledged:
            yield sentence.said
        elif count_words(acknowledged["rest"]) > 2:
            yield acknowledged["rest"]
