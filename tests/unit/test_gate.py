"""Mend 10: the gate stops the obvious and nothing else; row 16: protocol payloads are not prompts."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.speech.errands import BUILT_IN_PATTERNS
from hookclaw_py.stages.gate import compile_patterns, skip_reason, without_politeness

NAMES = frozenset({"cobalt", "key rotation policy", "大阪", "a very long heading"})


def nothing(terms):
    return ()


def gated(text: str, *, min_chars: int = 20, names: frozenset[str] = frozenset(), patterns=BUILT_IN_PATTERNS) -> str:
    why = skip_reason(text, min_chars=min_chars, patterns=patterns, names=names, held=nothing)
    return why.sentence if why else ""


@pytest.mark.parametrize(
    "prompt",
    [
        "no, what did we decide about the log format?",
        "sure, what was the key rotation policy",
        "Thanks! And what about the auth bug?",
        "Create the deployment we discussed yesterday",
        "Help me remember the name of the plumber",
        "Reset tokens: how did we decide to store them?",
    ],
)
def test_real_questions_behind_politeness_or_a_command_word_pass(prompt):
    """Mend 10, its six examples."""
    assert gated(prompt) == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "ok so, which of the two vendors did Marta prefer?",
        "Hi there, what is the wifi password of the cabin?",
        "write a poem about our wedding in Lisbon",
        "tell me a joke about my dentist, please",
        "translate the sentence we agreed on to French",
        "what is 15% of what I said the rent was again?",
        "run the tests we skipped last Friday",
        "/think high and recall the retention rules",
        "please repeat what you told me about the visa",
        "Übersetze bitte, was wir gestern beschlossen haben",
        "Schreib mir, was in meiner letzten Notiz stand",
        "Qu'est-ce que nous avons décidé hier au sujet du logo ?",
        "¿Qué decidimos ayer sobre el contrato de alquiler?",
        "我们上次决定用哪个日志格式",
        "什么时候去看牙医比较好呢？",
        "что мы решили вчера насчёт ключей?",
        "前回の会議で決めたことを教えて",
        "NETSDK1005: what was the fix?",
        "make sure the nightly export works again on friday",
        "git workflow for the mobile team",
        "cargo bike insurance number for Tom",
        "cat food brand for the neighbour",
        "what's the date for the offsite?",
        "what's the definition of done",
        "define the retention policy for invoices",
        "/etc/nginx/nginx.conf breaks with the new certificate",
        "Today is a solid 3, and it is heavy",
        "2026-02-12 2026-02-14 10 11 12",
        "Planning to try the new place on the corner this weekend.",
        "translate the note about the boiler to English please",
    ],
)
def test_prompts_that_may_need_memory_pass(prompt):
    """Mend 10: a sign of recall overrides, and a pattern never swallows more than it says."""
    assert gated(prompt) == ""


@pytest.mark.parametrize(
    ("prompt", "which"),
    [
        ("Thank you so much, that's very helpful!", "small talk"),
        ("ok, sounds good, please continue", "small talk"),
        ("Yes please do that, go ahead!", "small talk"),
        ("Hello there, how are you doing today?", "small talk"),
        ("hello, nice to meet you!", "small talk"),
        ("Awesome job, that worked, thanks", "small talk"),
        ("muchas gracias por tu ayuda, perfecto", "small talk"),
        ("Vielen Dank, alles klar!!!", "small talk"),
        ("Merci beaucoup, très bien", "small talk"),
        ("большое спасибо, хорошо", "small talk"),
        ("非常感谢，好的，没问题，明白了", "small talk"),
        ("算了，不用了", "small talk"),
        ("没事儿，谢谢", "small talk"),
        ("/compact keep the last part only", "slash command"),
        ("Write a poem about the sea", "verse or joke"),
        ("Hi! Can you please tell me a joke?", "verse or joke"),
        ("give me three short haikus about rain", "verse or joke"),
        ("translate 'good evening' into Spanish", "translation"),
        ("how do you say cheese in Italian?", "translation"),
        ("what's 12 percent of 340 plus 7?", "arithmetic"),
        ("calculate (17 + 4) * 3.5 / 2", "arithmetic"),
        ("how many ounces are in a pound?", "conversion"),
        ("please convert 5 miles to kilometers", "conversion"),
        ("how do you spell rhythm?", "meaning or spelling"),
        ("what's the meaning of serendipity?", "meaning or spelling"),
        ("what time is it in Tokyo right now?", "clock"),
        ("what time is it right now in New York?", "clock"),
        ("what's the weather in Lisbon tomorrow?", "weather"),
        ("flip a coin for me, heads or tails", "chance"),
        ("are you a robot or a human?", "about the assistant"),
        ("could you turn the volume up", "device"),
        ("rephrase your last answer in three sentences", "same conversation"),
        ("now make it a little shorter.", "same conversation"),
        ("Make it more formal, please.", "same conversation"),
        ("what's 'thank you' in Korean?", "translation"),
        ("run all the tests again please", "command"),
        ("commit the changes and push it", "command"),
        ("git commit -m 'fix the parser'", "shell"),
        ("npm run build --workspace web", "shell"),
    ],
)  # fmt: skip
def test_the_obvious_is_skipped_and_the_reason_says_which_pattern(prompt, which):
    assert gated(prompt) == f"matches skip pattern ({which})"


def test_a_name_that_the_store_knows_overrides_a_pattern():
    assert gated("Write a poem about Cobalt") == "matches skip pattern (verse or joke)"
    assert gated("Write a poem about Cobalt", names=NAMES) == ""
    assert gated("tell me a joke about the Key-Rotation policy", names=NAMES) == ""
    assert gated("tell me a joke about a very long heading", names=NAMES) == ""
    assert gated("Write a poem about Cobalt's first year", names=NAMES) == ""
    assert gated("Write a poem about copper", names=NAMES) != ""


@pytest.mark.parametrize("length", range(0, 25))
def test_a_prompt_is_short_below_the_limit_and_not_at_it(length):
    """Keep: skipShortPrompts, after trimming; equal length passes."""
    expected = f"prompt too short ({length} chars)" if length < 20 else ""
    assert gated(f"  {('?!' * 20)[:length]}\n") == expected


def test_a_wide_character_counts_three():
    assert gated("？" * 7) == ""
    assert gated("？" * 6) == "prompt too short (6 chars)"
    assert gated("", min_chars=0) == ""


@pytest.mark.parametrize(
    "question",
    [
        "who is my dentist?",
        "When was I born?",
        "what did we do?",
        "Ilse's phone?",
        "whats my blood type",
        "ok, wo war ich",
        "где мой ключ",
        "zeus's port?",
        "what's on tomorrow",
        "was steht morgen an",
        "qué tengo mañana",
        "明天有什么安排",
    ],
)
def test_a_short_question_with_a_sign_of_recall_is_no_small_talk(question):
    assert gated(question, names=frozenset({"ilses", "zeus"})) == ""


@pytest.mark.parametrize(
    "words",
    [
        "rent?",
        "E-41",
        "wifi password",
        "dentist phone",
        "Miete?",
        "wifi 密码",
        "who is Mara",
        "妈妈电话",
        "魏工是谁",
        "rc=5",
        "bin day",
        "which bin tomorrow",
    ],
)
def test_a_short_prompt_that_names_something_is_searched(words):
    """The store judges better than a length whether there is an answer."""
    assert gated(words) == ""


@pytest.mark.parametrize(
    "words", ["really?", "how are you?", "how do you do", "and then?", "go on", "ok cool", "why not", "好的"]
)
def test_a_short_prompt_that_names_nothing_is_not(words):
    assert gated(words) != ""


@pytest.mark.parametrize(
    "payload",
    [
        "NO_REPLY",
        "`HEARTBEAT_OK`",
        '{"tool": "exec", "result": "ok", "exit": 0}',
        json.dumps([{"a": 1}, {"b": [2, 3]}], indent=2),
        '```json\n{"note": "did we decide?"}\n```',
        '{"event": "start"}\n{"event": "stop"}',
        "<tool_result>\n<status>ok</status>\n</tool_result>",
        "[tool_result] exit code 0, 14 files written",
        "QUJD" * 40,
        "data:image/png;base64," + "iVBOR" * 40,
        "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----",
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1 if b else 2?\n+a = 2",
        "Traceback (most recent call last):\n  File \"x.py\", line 3, in f\n    g()\n  File \"x.py\", line 9, in g\nValueError: bad port",
        "2026-02-12 10:00:01 INFO start\n2026-02-12 10:00:02 WARN slow\n2026-02-12 10:00:03 ERROR already in use",
    ],
)  # fmt: skip
def test_machine_output_is_a_protocol_payload(payload):
    assert gated(payload, min_chars=5) == "protocol payload"


@pytest.mark.parametrize(
    "prompt",
    [
        "[note to self] what colour was the door?",
        "{placeholder} is still in the template, why?",
        '[1, 2, 3] and {"a": 1',
        "<p>which of the vendors did Marta prefer?</p>",
        "<user_query>how did we fix the login loop</user_query>",
        "```python\nprint(1)\n```",
        "diff --git a/x.py b/x.py\n+a = 2\n\nWhy did the linter complain here?",
        "ValueError: bad port\nhow did this go away last time\nplease look it up",
        "How do we read this one?\n2026-02-12 10:00:01 INFO start\n2026-02-12 10:00:02 WARN slow",
        "2026-02-12 10:00:01 INFO start",
        "```\n\n```  and more text here",
        "diff --git a/x.py b/x.py\n+a = 2\n\nplease finish it in the style that Marta likes",
        "Fix the import for me:\n2026-02-12 10:00:01 INFO a\n2026-02-12 10:00:02 WARN b\n2026-02-12 10:00:03 ERROR c",
        "2026-02-12 10:00:01 INFO a\n2026-02-12 10:00:02 WARN b\n2026-02-12 10:00:03 ERROR c\nput it right like Marta does",
        "[" * 60_000 + "]" * 60_000,
        "{" + "[" * 60_000 + "]" * 60_000 + "}",
    ],
)
def test_a_paste_with_a_question_or_half_a_payload_passes(prompt):
    assert gated(prompt) == ""


def test_an_empty_fence_is_not_a_payload():
    assert gated("```\n\n```", min_chars=3) == ""


def test_custom_patterns_replace_the_built_in_ones_and_case_does_not_count():
    patterns = compile_patterns(["^DEPLOY", "status$"])
    assert gated("Deploy the blue thing to staging", patterns=patterns) == "matches skip pattern (^DEPLOY)"
    assert gated("ok, deploy the blue thing to staging", patterns=patterns) == "matches skip pattern (^DEPLOY)"
    assert gated("deploy what we discussed to staging", patterns=patterns) == ""
    assert gated("Write a poem about the sea", patterns=patterns) == ""
    assert compile_patterns(None) is BUILT_IN_PATTERNS


def test_no_patterns_means_only_length_and_payloads_are_judged():
    assert gated("Write a poem about the sea", patterns=compile_patterns(())) == ""
    assert gated("Hello", patterns=compile_patterns([])) == "prompt too short (5 chars)"


def test_a_broken_pattern_is_refused():
    with pytest.raises(re.error):
        compile_patterns(["("])


def test_a_sign_of_recall_at_the_end_of_a_long_prompt_counts():
    story = "translate this to French: " + "le chat dort. " * 600
    assert gated(story) == "matches skip pattern (translation)"
    assert gated(story + "Do it in the tone we used last time") == ""


@given(st.text(), st.integers(0, 100))
def test_any_text_gets_an_answer_and_spaces_around_never_change_it(text, min_chars):
    reason = gated(text, min_chars=min_chars, names=NAMES)
    assert reason == gated(f" \n{text}\t ", min_chars=min_chars, names=NAMES)
    assert reason == "" or reason.startswith(("prompt too short (", "matches skip pattern", "protocol payload"))


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_whatever_asks_what_we_decided_passes(topic):
    assert gated(f"Thanks! What did we decide about {topic.strip()} then") == ""


@pytest.mark.parametrize(
    "unit",
    [
        "thanks again ",
        "{",
        "<a>",
        "at foo(\n",
        "A",
        "好",
        "git ",
        "1+",
        "ok, ",
        "what is 1 x ",
        "- \n",
        '{"a":1}\n',
        "can you ",
    ],
)
@pytest.mark.timeout(60)  # a quadratic step takes minutes
def test_a_megabyte_of_anything_is_judged_at_once(unit):
    text = (unit * (1_000_000 // len(unit)))[:1_000_000]
    gated(text, names=NAMES)
    gated(f"{text} §", names=NAMES)


@pytest.mark.parametrize(
    "prompt",
    [f"traduis {'arabe ' * 60}x", f"auf deutsch {'arabe ' * 60}x", f"5 {'kilo' * 60}x in m", f"5 {'centi' * 60}x in m"],
)
@pytest.mark.timeout(60)  # what doubles with each word takes years
def test_a_word_said_over_and_over_is_judged_at_once(prompt):
    assert gated(prompt) == ""


@pytest.mark.parametrize("said", ["5 quadratkilometer in m2", "3 centimètres en pouces", "2 kubikmeter in liter"])
def test_a_unit_with_what_is_before_it_is_converted(said):
    assert gated(said) == "matches skip pattern (conversion)"


@pytest.mark.parametrize(
    "said",
    [
        "Hi! {}",
        "Hi Claude, {}",
        "Good morning! Could you please {}",
        "{} Thanks!",
        "{} Thanks in advance!",
        "{} please",
        "Hey there, {} Cheers",
        "Hallo, {} Danke!",
        "你好，{} 谢谢",
    ],
)
def test_greetings_and_thanks_are_not_searched_for(said):
    asked = "what did we decide about the logging format?"
    assert without_politeness(said.format(asked)) == asked


@pytest.mark.parametrize(
    "said",
    [
        "Hi! Hope you are well. {}",
        "Hello, I hope this message finds you well. {} Thanks a lot, best regards, Sam Marsh",
        "hey there, hope you're doing great! {} cheers",
        "I was wondering if you could please, when you have a minute, {}",
        "Hallo, ich hoffe es geht dir gut. {} Viele Grüße, Sam",
        "Bonjour, j'espère que tu vas bien. {} Merci d'avance, Sam",
        "Hola, espero que estés bien. {} Un saludo, Sam",
    ],
)
def test_what_one_wishes_and_signs_a_letter_with_is_not_searched_for(said):
    asked = "what did we decide about the logging format?"
    assert without_politeness(said.format(asked)) == asked


@pytest.mark.parametrize(
    "prompt",
    [
        "Pourrais-tu me dire qui entretient la chaudière ?",
        "¿Me podrías decir quién es el casero?",
        "Kannst du mir bitte sagen, wann der TÜV fällig ist?",
    ],
)
def test_to_be_told_is_asked_for_in_other_languages_too(prompt):
    assert prompt.endswith(kept := without_politeness(prompt))
    assert len(kept.split()) < len(prompt.split()) - 2


@pytest.mark.parametrize(
    "prompt",
    [
        "who repairs our LG",
        "what did I hope for",
        "Mozart's letter ends 'best regards, Wolfgang': which year?",
        "saludos",
    ],
)
def test_what_only_looks_like_a_wish_or_a_signature_stays(prompt):
    assert without_politeness(prompt) == prompt


@pytest.mark.parametrize(
    "prompt", ["Thanks!", "please", "Which thanks did Anna get?", "Say please", "the bounty is 300 dollars", "", "?"]
)
def test_what_is_said_stays_whole(prompt):
    kept = without_politeness(prompt)
    assert kept in prompt
    assert kept == prompt or prompt == "Say please"


@pytest.mark.parametrize(
    "prompt",
    [
        "buenas, aquí otra vez",
        "gute nacht, bis morgen",
        "hasta mañana, muchas gracias!",
        "merci mille fois, à demain",
        "太好了，谢谢",
        "帮我把这句话翻译成德语：今天天气很好",
        "traduce esto al inglés: el perro duerme",
        "Reim mir was auf Regenschirm",
        "escribe un poema corto sobre el mar",
    ],
)
def test_small_talk_and_errands_need_no_memory_in_other_languages_either(prompt):
    why = skip_reason(prompt, min_chars=20, patterns=BUILT_IN_PATTERNS, names=frozenset(), held=nothing)
    assert why is not None


@pytest.mark.parametrize("prompt", ["schreib mir die Einkaufsliste", "bis wann läuft der Vertrag", "cuenta de la luz?"])
def test_what_begins_like_them_may_need_it(prompt):
    assert skip_reason(prompt, min_chars=0, patterns=BUILT_IN_PATTERNS, names=frozenset(), held=nothing) is None


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("why does the exporter fail here?", True),
        ("why does it?", True),
        ("why not?", False),
        ("why?", False),
        ("+ why does it fail?", False),
        ("为什么失败？", True),
    ],
)
def test_a_question_within_a_log_is_a_persons(line, *, passes):
    logged = "2026-02-01 10:00:0{} ERROR exporter failed"
    assert (gated("\n".join([logged.format(1), line, logged.format(2), logged.format(3)])) == "") is passes


def test_a_line_of_json_before_something_else_is_a_payload_and_half_of_one_is_not():
    assert gated('{"state": "failed", "code": 17}\n{"state": "done", "code": 0}')
    assert gated('{"state": "failed", "code": 17}\n{"state": "done", "code": }')
    assert gated('{\n"state": {"failed": true},\n"code": 17\n}')
    assert gated('{"state": "failed", "code": }\n{"state": "done", "code": 0}') == ""


# Prompts as people type them, in English, German, French, Spanish, Italian and Chinese, parted by " | ".
ERRANDS = {
    "conversion": """convert 2.4 bar to psi | 2.4 bar in psi | 60 mph to km/h | how many acres in a hectare | 5 acres to hectares | 150 hp in kw | 20 °C in °F | 70f to c | 35 psi to kpa
        how many kpa are in 1 bar | how many pounds is 5 kg | 2,4 bar in psi | wieviel gramm hat ein pfund | wie viele psi sind 2,4 bar | rechne 5 meilen in km um | wieviel ist 100 fahrenheit in celsius
        wieviel ml sind eine tasse | 136 ps in kw | wie viele stunden hat eine woche | convertis 2,4 bar en psi | combien de litres dans un mètre cube | combien font 5 miles en km
        c'est combien 6 pieds en cm | combien de grammes dans une once | cuantos gramos hay en una onza | cuánto es 5 millas en km | pasa 100 km/h a mph | convierte 3 pulgadas a cm
        cuántos psi son 2,4 bar | quanti grammi sono un'oncia | quanto sono 5 miglia in km | converti 2,4 bar in psi | quanti ml ci sono in una tazza
        一英里等于多少公里 | 2.4 bar是多少psi | 100华氏度是多少摄氏度 | 一磅多少克 | 5英尺换算成厘米""",
    "arithmetic": """what's 15% of 80 | 19% von 340 | was ist 12 mal 14 | wieviel ist 340 geteilt durch 7 | wurzel aus 144 | rechne mal 17 * 23 aus | 15 % de 860 | combien font 12 fois 14
        racine carrée de 144 | 21% de 1.350 | cuánto es 340 entre 7 | raiz cuadrada de 81 | 22% di 450 | quanto fa 12 per 14 | 12乘以14等于多少 | 340除以7是多少 | 25 x 4 =""",
    "clock": """what day is it today | whats todays date | what day of the week is it | wie spät ist es | wie spaet ist es in tokio | wieviel uhr ist es | wieviel uhr haben wir | welcher tag ist heute
        welchen tag haben wir heute | der wievielte ist heute | was ist heute für ein datum | quelle heure est-il | il est quelle heure à tokyo | on est quel jour | quel jour sommes-nous
        on est le combien aujourdhui | qué hora es | que hora es en mexico | que dia es hoy | a qué día estamos | a cuanto estamos hoy | che ore sono | mi dici che ora è | che giorno è oggi
        quanti ne abbiamo oggi | 现在几点了 | 今天几号 | 今天星期几 | 东京现在几点""",
    "weather": """will it rain tomorrow | is it going to rain in lisbon | weather tomorrow | how cold is it outside | wie wird das wetter morgen | wie ist das wetter in bremen | wetter am wochenende
        regnet es morgen | wird es heute noch regnen | wie warm wird es heute | wieviel grad hat es draussen | quel temps fait-il | il fait quel temps demain | meteo demain | météo à brest
        il va pleuvoir demain | il fait combien dehors | qué tiempo hace hoy | va a llover mañana | lloverá el sábado | cómo está el clima en bogotá | che tempo fa oggi | pioverà domani
        meteo torino domani | com'è il tempo | 今天天气怎么样 | 明天会下雨吗 | 上海天气 | 外面冷吗""",
    "same conversation": "say it in simpler words | make it more formal",
    "rewriting": """make that shorter and friendlier | shorter please | a bit less formal | too long | kannst du das etwas kürzer und freundlicher formulieren
        mach das kürzer | koennen sie das einfacher ausdrücken | fass das in drei sätzen zusammen | erklär das nochmal einfacher | nochmal, kürzer | das ist zu lang | geht das auch höflicher
        wiederhole die letzte antwort | plus court stp | tu peux le reformuler de façon plus polie | resume ca en deux phrases | fais plus court et moins formel | recommence, en plus simple
        más corto y más amable | puedes hacerlo más corto | resúmelo en dos frases | explícalo otra vez pero más sencillo | più breve | puoi riformularlo in modo più gentile | spiegalo più semplice
        再简短一点 | 换个说法 | 能不能写得更正式一些 | 总结一下 | 太长了
        correct the spelling: i recieved teh parcel | proofread: their coming on friday and bring there dog | more polite: send the invoice now | rechtschreibung prüfen: der vermiter hat nich geschriben
        kürzer: aufgrund der tatsache dass es regnet | höflicher bitte: schick die rechnung bis mittag | corrige l'orthographe : je suis alé au marcher | plus poli : envoie le devis avant midi
        corrige la ortografia: el medico a dicho que no | más amable: manda la factura ya | correggi gli errori: o andato al mercatto stamattina | più gentile: manda subito i documenti
        改错别字：房东己经收到了房祖 | 改得客气一点:中午把合同发给他 | 润色一下：这个东西很好用大家都喜欢""",
    "translation": """translate hello how are you to french | in german: good morning everyone | 把这句翻成英文：请稍等一下 | 翻译成英文:图书馆周一闭馆 | "你好"用法语怎么说 | 帮我把下面这段译成日语：请问药店在哪里
        auf englisch: der aufzug ist kaputt | übersetz mir das ins englische | wie sagt man guten appetit auf italienisch | was heisst schmetterling auf spanisch
        en anglais : la piscine est fermée | comment on dit papillon en allemand | traduis ca en espagnol | al inglés: la panadería abre a las siete | cómo se dice mariposa en alemán
        come si dice farfalla in tedesco | in inglese: il treno è in ritardo | traduci in francese: buongiorno a tutti""",
    "meaning or spelling": """how do you spell rhythm | wie schreibt man rhythmus | wie wird rhabarber geschrieben | comment on écrit rythme | ça s'écrit comment chrysanthème | cómo se escribe exhausto
        que significa la palabra efímero | come si scrive soqquadro | 饕餮怎么读 | “画蛇添足”是什么意思""",
    "about the assistant": """what model are you | do you speak german | can you see images | wer bist du | bist du ein mensch oder ein bot | wie heißt du | was kannst du alles | welches modell bist du | wie gehts dir
        wie geht es ihnen heute | t'es qui | tu es un robot | comment tu t'appelles | que sais-tu faire | quel modèle es-tu | tu vas bien | quién eres | eres una ia | cómo te llamas | qué puedes hacer por mí
        cómo estás hoy | chi sei | come ti chiami | cosa sai fare | sei un robot | 你是谁 | 你叫什么名字 | 你会做什么 | 你是机器人吗 | 你是什么模型""",
    "exclamation": """what a day | phew, what a week | i'm so tired | im exhausted today | finally friday | puh war das ein tag heute | was für ein tag | bin so müde | ich kann nicht mehr | endlich feierabend
        so ein mist | boah ist das heiß heute | pff quelle journée | quelle journée de fou | je suis crevée | j'en peux plus | vivement le week-end | il fait trop chaud | uf qué sueño tengo hoy | qué calor hace
        estoy muy cansada | por fin viernes | vaya día | madre mía que semana | che giornata | uffa che caldo | sono stanchissima | non ne posso più | 今天好累 | 累死了 | 终于下班了 | 唉，烦死了""",
}  # fmt: skip
MAY_NEED_MEMORY = """
    is it going to be cold at work on monday | wird es in der werkstatt kalt | il fait froid dans l'atelier | hace frío en la bodega | 后端周会现在几点 | how many psi in the bike tyres | what pressure is the tank set to | 2.4 bar on which tyre | how many cups of flour in the stollen | how many kw is the heat pump | how many acres is the north field
    convert the recipe to grams | how many hours per week | how many days a week | wieviel gramm mehl kommt in den stollen | wieviel bar in den reifen | wie viel liter hat der tank | wie viele euro im monat
    wie viele stunden in der woche | combien de litres dans la cuve | combien de grammes de farine dans le gâteau | combien de jours par semaine | cuántos litros tiene el depósito | cuántos gramos de harina lleva
    quanti litri tiene la vasca | quante ore alla settimana | 油箱有多少升 | 蛋糕要多少克面粉 | 24/12 | le 24/12 | 12% von der rechnung | 20% de descuento para quién
    what time is the meeting | what day is bin day | wie spät ist das treffen | welcher tag ist müllabfuhr | um wieviel uhr ist es bei der zahnärztin | wann ist der termin | quelle heure pour le train
    c'est quel jour la piscine | à quelle heure est la réunion | quel jour vient le plombier | qué día viene el fontanero | a qué hora es la clase | che giorno viene l'idraulico | a che ora è il treno
    今天几号去医院 | 几点开会 | 星期几收垃圾 | 今天谁值日
    how warm is it in the greenhouse | what's the temperature of the freezer | will it fit in the van | wie wird das wetter laut tims notiz | wie warm ist die heizung eingestellt | quel temps a-t-on eu à Brest
    il va venir demain | combien il fait de large | qué tiempo tardamos | cuánto tiempo tarda el tren | che tempo ha fatto la nonna alla gara | 天气预报网站的密码 | 冷库温度是多少
    fass das protokoll vom dienstag zusammen | formulier die mail an den vermieter kürzer | mach die einkaufsliste kürzer | kürzer als welcher weg | erklär die heizung | wiederhol die impftermine
    summarize the minutes of tuesday | shorten the letter to the landlord | résume le compte rendu de mardi | raccourcis la lettre au syndic | plus court chemin pour la gare | explique la chaudière
    resume el acta del martes | acorta la carta al casero | riassumi il verbale di martedì | accorcia la lettera al condominio | 总结一下周二的会议 | 把给房东的信写短一点 | 哪条路更短
    proofread the letter to the school | correct the invoice for brandt | corrige la lettre au syndic | corrige la carta al casero | correggi la lettera | korrigier den brief an die schule | 检查一下合同
    corrige : la lettre au syndic | kürzer: brief an den vermieter | résume : le compte rendu de mardi
    translate this back label: "de vinhas velhas" | übersetze den brief von oma | übersetze den brief von oma: auf englisch | translate grandma's letter into german | translate the menu for the wedding to french | traduis la lettre de mamie
    traduce la carta de la abuela | traduci la lettera della nonna | 把奶奶的信翻译成德语 | wie heißt die ferienwohnung auf kreta | comment s'appelle le plombier | wie heisst tims lehrerin
    was bedeutet e-22 | que veut dire le code e14 | qué significa la luz roja | 红灯是什么意思 | wie schreibt man an die hausverwaltung | comment on écrit au syndic
    who is the model for the shoot | welches modell ist die spülmaschine | quel modèle est la chaudière | qué modelo es la lavadora | wer bist du laut dem skript | cómo se llama la profe | come si chiama il cane di ugo | 老师叫什么名字
    was kannst du kochen mit den resten | what can you tell the landlord | quelle journée on a choisie pour le pot | war das ein guter tag für den test | müde reifen | was für ein tag passt dem zahnarzt
    qué día | qué semana toca basura | quelle semaine les poubelles | what a day rate for brandt | finally friday works for whom | i'm so tired of the blue paint what was the other | che giornata scelta per la gita
    endlich fertig mit was | j'ai faim quel resto pour le pot | 累死了那个药叫什么 | write a python function that reads the log | schreib eine funktion die csv einliest
"""  # fmt: skip


def prompts(table: str) -> list[str]:
    return [prompt.strip() for prompt in re.split(r"\n| \| ?", table) if prompt.strip()]


@pytest.mark.parametrize(("which", "prompt"), [(which, p) for which, table in ERRANDS.items() for p in prompts(table)])
def test_what_no_memory_answers_is_skipped_in_six_languages(which, prompt):
    assert gated(prompt, min_chars=0) == f"matches skip pattern ({which})"


@pytest.mark.parametrize("prompt", prompts(MAY_NEED_MEMORY))
def test_what_is_asked_of_ones_own_things_is_searched_in_six_languages(prompt):
    assert gated(prompt) == ""


def test_a_known_name_or_a_sign_of_recall_overrides_an_errand_in_any_language():
    assert gated("wie ist das wetter in cobalt")
    assert gated("wie ist das wetter in cobalt", names=NAMES) == ""
    assert gated("traduis : mon frère arrive demain") == ""
    assert gated("come si scrive cobalt", names=NAMES) == ""


@pytest.mark.parametrize(
    "prompt",
    ["come si dice anta in francese", "cómo se dice vantail en italiano", "wie sagt man vantail auf deutsch", "comment on dit anta en français", "how do you say vantail in Italian"],
)  # fmt: skip
def test_a_word_that_the_notes_have_may_have_its_translation_there(prompt):
    def held(terms):
        return {term for term in terms if term in ("anta", "vantail")}

    def why(asked):
        return skip_reason(asked, min_chars=20, patterns=BUILT_IN_PATTERNS, names=frozenset(), held=held)

    assert why(prompt) is None
    assert why(prompt.replace("anta", "gatto").replace("vantail", "chat"))


def test_small_talk_and_sentences_are_not_looked_up_in_a_glossary():
    def why(asked):
        return skip_reason(asked, min_chars=20, patterns=BUILT_IN_PATTERNS, names=frozenset(), held=frozenset)

    assert why("come si dice grazie in giapponese")
    assert why("how do you say the train is late today in French")


@pytest.mark.parametrize(
    "prompt",
    ["cosa ho domani", "che c'è domani", "domani che c'è", "domani?", "quoi demain", "demain ?", "quoi ce weekend", "was morgen", "what's tomorrow", "and tomorrow?"],
)  # fmt: skip
def test_a_short_question_for_a_day_is_searched(prompt):
    assert gated(prompt) == ""


@pytest.mark.parametrize("prompt", ["a domani", "domani", "à demain", "bis morgen", "how are you today?", "see you tomorrow", "che tempo fa domani?"])  # fmt: skip
def test_a_day_in_small_talk_asks_for_nothing(prompt):
    assert gated(prompt)


def test_who_somebody_is_is_not_asked_of_the_assistant():
    assert "about the assistant" not in gated("c'est qui", min_chars=0)
    assert gated("t'es qui", min_chars=0) == "matches skip pattern (about the assistant)"


@pytest.mark.parametrize(
    "prompt", ["va bene, a domani", "ottimo, molto gentile, grazie", "bom dia, tudo bem?", "muito obrigada, até amanhã"]
)
def test_small_talk_is_known_in_italian_and_portuguese(prompt):
    assert gated(prompt, min_chars=0) == "matches skip pattern (small talk)"


@pytest.mark.parametrize("words", ["come la nostra", "dove il mio", "o que ontem", "onde a minha"])
def test_signs_of_recall_are_known_in_italian_and_portuguese(words):
    assert gated(words) == ""


@pytest.mark.parametrize(
    "unit",
    ["shorter, ", "kannst du das ", "wie wird das wetter in ", "5 km in ", "puh puh ", "auf deutsch ", "so sehr ", "l'", "heute ", "今天", "更短一点", "把这个", "1 x ", "mal plus ", "un po' "],
)  # fmt: skip
@pytest.mark.timeout(20)  # a step back for each word takes minutes
def test_a_prompt_that_is_nearly_an_errand_from_end_to_end_is_judged_at_once(unit):
    for end in ("", " §x", "x", ": x"):
        gated((unit * 4000)[:4000] + end)
