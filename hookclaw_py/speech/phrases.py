"""Errands as German, French, Spanish, Italian and Chinese speakers type them, a line a phrase: ``PHRASES``, by what they are."""

from __future__ import annotations

from hookclaw_py.regex import regex
from hookclaw_py.speech.typed import FLAGS, any_of, typed

_LANGUAGE = """((deutsch|englisch|französisch|italienisch|spanisch|portugiesisch|niederländisch|schwedisch|dänisch|norwegisch|polnisch|tschechisch|russisch|ukrainisch|türkisch|griechisch|arabisch|japanisch|chinesisch|koreanisch)e?|latein
    |allemand|anglais|français|italien|espagnol|portugais|néerlandais|suédois|polonais|russe|turc|grec|arabe|japonais|chinois|latin|alemán|inglés|francés|italiano|español|castellano|catalán|portugués|holandés|polaco|ruso|turco|griego|árabe
    |japonés|chino|tedesco|inglese|francese|spagnolo|portoghese|olandese|polacco|russo|greco|giapponese|cinese)"""
_LANGUAGE_ZH = "([英德法日韩俄中汉]|西班牙|意大利|葡萄牙|阿拉伯)[文语]"
_HAN = r"[\u4e00-\u9fff]"

_WRITTEN = any_of(
    """letters? e?-?mails? notes? minutes reports? contracts? offers? invoices? recipes? menu page chapter doc(?:ument)?s? readme briefe? protokoll angebot vertrag rechnung notiz(?:en)? rezept bericht
    lettres? courriel compte[-_]rendu contrat devis facture recette rapport cartas? correo acta contrato factura receta informe lettera verbale contratto fattura ricetta preventivo"""
)
A_DOCUMENT = rf"(?:(?:(?:the|a|his|her|their|der|die|das|den|dem|la|le|les|el|los|il|lo|[\w-]{{1,20}}(?:'|’)s?)\ |l(?:'|’)){{0,2}}{_WRITTEN}\b)"
"""A letter, a note or the like that is only named, and so may lie among the person's own."""
_DOCUMENT_ZH = "(信|邮件|合同|笔记|文件|报告|纪要|菜谱|日记|简历|发票)"

_DAY = """(heute|morgen|übermorgen|abend|früh|nachmittag|nacht|(am )?wochenende|(diese|nächste) woche|(am )?(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)
    |aujourd'hui|demain|après-demain|ce (soir|matin|week-end|we)|cet après-midi|cette semaine|(lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)( prochain)?
    |hoy|mañana|pasado mañana|esta (tarde|noche|semana)|este (finde|fin de semana)|el (finde|lunes|martes|miércoles|jueves|viernes|sábado|domingo)
    |oggi|domani|dopodomani|stasera|questa settimana|nel weekend|(lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica))"""
_NOW_WORD = "(jetzt|gerade|grad|denn|eigentlich|aktuell|noch|für|maintenant|là|en ce moment|ahora|ya|adesso|ora|draußen|dehors|fuera|fuori)"
_NOW = f"( {_NOW_WORD}){{0,3}}"
_IN = r" (in|à|a|au|en|sur) [^\s,.;:?!]{1,30}( [^\s,.;:?!]{1,30}){0,2}"
_WHEN = f"( {_NOW_WORD}| {_DAY}|{_IN}){{0,4}}"
_DAY_ZH = "([今明后]天|今晚|明早|这?周末|下周|现在|外面)"

_OH = r"""((p+u+h+|u+f+|uff+a|bo+a+h|oh (mann|man|je)|ach|hach|mann|oje|juhu|hurra|wow|p+f+|ou+f+|oh là là|bof|zut|mince|punaise|allez|ay|buah|madre mía|jo|puf|dios mío
    |mamma mia|oddio|accidenti|mah|phew|whew|ugh|oof|omg|gosh|jeez|argh|yay|man|oh)[\s,.!…]+){0,3}"""
_SO = "( (so|very|really|pretty|totally|absolutely|too|a bit|just|echt|total|voll|sehr|ganz schön|ziemlich|heute|schon|grad|gerade|richtig|trop|tellement|si|super|vraiment|complètement|un peu|muy|tan|totalmente|così|troppo|davvero|molto|proprio|un po')){0,3}"
_TODAY = "( (heute|heute abend|gerade|grad|jetzt|schon wieder|wieder|aujourd'hui|ce soir|ce matin|là|encore|hoy|esta noche|ya|oggi|stasera|stamattina|today|tonight|right now)){0,2}"
_TIRED = r""" (tired|exhausted|sleepy|knackered|bored|hungry|stressed|happy|excited|wiped|beat|müde|kaputt|platt|erledigt|k\.?o\.?|fix und fertig|total fertig|gestresst|hungrig|fatiguée?|crevée?|épuisée?|naze|claquée?|morte?|stressée?|contente?|cansad[oa]|agotad[oa]|muert[oa]|reventad[oa]
    |hech[oa] polvo|aburrid[oa]|content[oa]|stanc[oa]|stanchissim[oa]|distrutt[oa]|a pezzi|sfinit[oa]|stressat[oa])"""
_A_ROBOT = "((eine?|une?|una?|un')( echter?| richtiger?| vraie?)? ?)?(ki|bot|robot|roboter|mensch|person|maschine|echt|humain|ia|machine|personne|humano|humana|máquina|persona|umano|umana|macchina)"

_LINES = {
    "translation": rf"""
        (übersetz(e|en)?|traduis(-moi)?|traduce(me)?|traduci(mi)?|(auf|ins|en|al|in)(?= {_LANGUAGE}))( (bitte|mal|mir|das|dies|es|den|folgenden?|satz|text|ins|auf|in|nach|en|al|ça|cela|cette|ce|phrase|texte|stp|por favor|per favore|esto|eso|esta|frase|texto|questo|questa
            |testo|{_LANGUAGE})(?!\w))*+\s*([:„"“«]\s*(?!{A_DOCUMENT})\S[\s\S]*)?
        (wie (sagt|heißt|schreibt|nennt)( man)?|was (heißt|bedeutet|ist)|comment (dit-on|on dit|se dit|tu dis)|on dit comment|que veut dire|c'est quoi|cómo se dice|qué significa|come si dice|cosa (vuol dire|significa)) (?P<word_said>[^\n?:]{{1,80}}) (auf|en|in) {_LANGUAGE}
        把(?![^\n:：“"]{{0,12}}{_DOCUMENT_ZH})[\s\S]{{0,3000}}(翻译|[翻译])成?{_LANGUAGE_ZH}([:：,，][\s\S]+|[吗吧呗]?)|(翻译|翻|译)(一下|成?{_LANGUAGE_ZH})?[:：][\s\S]+|[^\n，。]{{1,40}}?用?{_LANGUAGE_ZH}怎么[说讲写]([^\n，。]{{1,40}})?
    """,
    "meaning or spelling": rf"""
        (wie (schreibt|buchstabiert) (man|sich)|wie schreib ich|comment (s'écrit|on écrit|écrit-on)( le mot)?|ça s'écrit comment|on écrit comment|cómo se (escribe|deletrea)( la palabra)?|come si scrive( la parola)?) \W?\w{{2,30}}
        wie (schreibt man|wird) \W?\w{{2,30}}\W?( richtig)? geschrieben
        (was (bedeutet|heißt) das wort|que (veut dire|signifie) le mot|qué (significa|quiere decir) la palabra|cosa (significa|vuol dire) la parola) \W?\w{{2,30}}
        [“"「]?{_HAN}{{1,6}}?[”"」]?(这?个[字词])?怎么[读念拼]|[“"「]{_HAN}{{1,10}}[”"」](这个(词|成语))?是?什么意思
    """,
    "clock": rf"""
        ((wie spät|wie ?viel uhr)( ist es| haben wir)|quelle heure (est-il|il est)|(il|c') ?est quelle heure|l'heure qu'il est|qué hora es|qué horas (son|es)|che ore sono|che ora è){_NOW}({_IN})?
        (die |aktuelle )?uhrzeit( jetzt| gerade)?|(welcher|welchen|was für ein|was für einen|welches) (wochentag|tag|datum|monat) (ist|haben wir)( es| heute| denn| eigentlich)*
        (den wievielten haben wir|der wievielte ist)( es| heute| denn| eigentlich)*|was ist heute für ein (tag|datum|wochentag)
        t'as l'heure|la date d'aujourd'hui|(on est|nous sommes) (quel jour|le combien|quelle date)( du mois)?( aujourd'hui)?
        (quel jour|quelle date)( du mois| de la semaine)? (on est|est-on|sommes-nous|est-ce|nous sommes)( aujourd'hui)?
        la (hora|fecha)( de hoy| actual)?|a cuánto estamos( hoy)?|(a )?(qué|cuál) (día|fecha)( de la semana)? (es|estamos|tenemos)( hoy)?
        l'ora|la data di oggi|quanti ne abbiamo( oggi)?|(in )?che (giorno|data)( della settimana)? (è|siamo|abbiamo)( oggi)?
        ({_HAN}{{2,3}}(?<![会课班诊]))?现在是?(北京时间)?(几点([钟了]|几分)?|什么时[间候])了?|几点[钟了]+|[今明后]天是?(几月几[号日]|几[号日]|星期几|周几|礼拜几)[了啊呀]?
    """,
    "weather": rf"""
        ((wie (wird|ist)( denn)?|wie sieht)( heute| morgen)* das wetter|(das )?wetter(bericht|vorhersage|aussichten)?|(regnet|schneit|stürmt|gewittert) es|(wird|soll) es(?=[^\n]{{0,80}} (regnen|schneien|gewittern))
            |quel temps (fait-il|il fait|fera-t-il|il fera|il va faire|va-t-il faire)|il (fait|fera|va faire) quel temps|(la )?météo( pour)?|(est-ce qu')?il (va pleuvoir|va neiger|pleut|pleuvra)|va-t-il pleuvoir|pleut-il
            |qué tiempo (hace|hará|va a hacer)|cómo (está|estará|va a estar) el (tiempo|clima)|el clima|pronóstico del tiempo( para)?|va a llover|llueve|lloverá|está lloviendo|va a nevar
            |che tempo (fa|farà|c'è)|com'è il tempo|previsioni (del tempo|meteo)( per)?|(il )?meteo( per)?( [^\s,.;:?!]{{3,20}})?|pioverà|piove|nevica|sta piovendo){_WHEN}( aus| regnen| schneien| gewittern)?
        ((wie (warm|kalt|heiß)|wie ?viel grad) (ist|wird|hat|sind) es|il fait combien( de degrés)?|quelle température (fait-il|il fait)|el tiempo|il (fait|fera) (beau|froid|chaud)|hace (frío|calor|sol)|(fa|farà) (caldo|freddo|bello)|(wird|soll) es)( {_DAY}){{0,2}}{_NOW}( (warm|kalt|heiß|sonnig|schön)( werden)?)?
        {_HAN}{{0,3}}{_DAY_ZH}?({_HAN}{{2,3}})?的?(天气(预报)?(怎么样|怎样|如何|好[吗不]好?)?|气温(多少|几)度?)[呢啊]?|({_HAN}{{2,3}})?{_DAY_ZH}(会|要)?下[雨雪][吗呢啊]?|{_DAY_ZH}(多少度|几度|冷不冷|热不热|[冷热]吗)
    """,
    "about the assistant": rf"""
        (bist du( eigentlich| denn)*|tu es|t'es|es-tu|êtes-vous|eres|sei) {_A_ROBOT}( de verdad)?( (oder|ou|o) {_A_ROBOT})?|((sprichst|kannst|verstehst) du( auch)?|tu parles|parles-tu|hablas|parli) {_LANGUAGE}
        (wer|was|wie alt) bist du( eigentlich| denn)*|wie heißt du( eigentlich| denn)*|welches (ki-)?modell bist du|wer hat dich (gemacht|erschaffen|gebaut|programmiert|entwickelt)
        was kannst du( so| alles| eigentlich| für mich)*( tun| machen)?|hilfe|wie geht( es|'s|s)( dir| ihnen| euch)?( heute| so| denn)*|wie läufts( bei dir)?
        (tu es|t'es|es-tu|vous êtes|êtes-vous) qui|qui (es-tu|êtes-vous|t'es|tu es)|comment (tu t'appelles|t'appelles-tu|vous appelez-vous)|tu t'appelles comment|qui t'a (créée?|faite?|programmée?)|quel âge (as-tu|tu as)
        (que|qu'est-ce que) (sais-tu|peux-tu|tu sais|tu peux) faire( pour moi)?|tu (sais|peux) faire quoi|(comment )?(tu vas|vas-tu|allez-vous|vous allez)( bien)?( aujourd'hui)?|comment ça va( aujourd'hui)?|quel modèle (es-tu|tu es|êtes-vous)
        (quién|qué|qué modelo) (eres|es usted)|cómo te llamas|cuántos años tienes|quién te (creó|hizo|programó|ha creado)|qué (puedes|sabes) hacer( por mí)?|cómo (estás|está usted|te va|andas)( hoy)?
        chi sei|come ti chiami|quanti anni hai|chi ti ha (creato|fatto|programmato)|che modello sei|cosa (puoi|sai) fare( per me)?|come (stai|va)( oggi)?
        你(到底)?是(谁|什么模型|哪个模型|(机器人|真?人类?|ai|人工智能)(还是\w{{1,4}})?吗?)|你叫什么(名字)?|你(几岁|多大)了?|你[会能]?做?(些)?什么|你能(帮我)?[做干](些)?什么|你(还)?好吗|你会说{_LANGUAGE_ZH}吗|谁(创造|开发|做)了?的?你的?
    """,
    "exclamation": rf"""
        {_OH}(what (a|an)( long| crazy| busy| rough| great| lovely)? (day|week|morning|night|evening|mess|relief|nightmare)( this was| that was| it was| it's been)?|long (day|week)|finally (friday|done|over|weekend|the weekend)|tgif
            |(i'm|i am|im|so|am|(ich )?bin( ich)?|je suis|estoy|sono){_SO}{_TIRED}|(that was|it was|it's been) a long (day|week)|it's (so|too) (hot|cold)|i need a (coffee|break|nap|holiday)
            |(was|was war das) für (ein|eine|einen) (tag|woche|wetter|hitze|stress|chaos|abend|nacht|morgen|mist)|war das( heute)?( vielleicht)? (ein|eine) (tag|woche|stress|nacht)|(heute )?(war|ist) (viel los|anstrengend)
            |ich (kann|mag) nicht mehr|keine lust mehr|ich habe? (so )?(hunger|keine lust( mehr)?)|(mir ist|ist|es ist)( das| es)?{_SO} (langweilig|kalt|heiß)|endlich (feierabend|wochenende|freitag|geschafft|fertig)
            |so ein (mist|stress|chaos|tag|blödsinn|schrott)|na toll|verdammt|scheiße|mist|(quelle (journée|semaine|soirée|matinée|chaleur|galère)|quel (bazar|froid|stress|temps de chien))( de (fou|merde|dingue|folie|ouf)| pourrie)?
            |j(e n)?'en (peux plus|ai marre)|vivement (le week-end|le we|vendredi|les vacances|ce soir|demain)|j'ai{_SO} (sommeil|faim|froid|chaud|soif|la flemme)|enfin (vendredi|le week-end|fini|terminé)|il fait (trop|si|super) (chaud|froid)
            |qué (sueño|cansancio|calor|frío|rollo|pereza|risa|lío|estrés|hambre)( tengo| hace)?|qué (día|semana|noche) (más larg[oa]|llevo|de locos)|vaya (día|semana|lío|tela|noche)|(uf+|ay|buah|madre mía|jo|puf|dios mío)[\s,!]+qué (día|semana|noche)
            |por fin (es )?(viernes|fin de semana)|por fin he terminado|no puedo más|tengo( mucho| mucha| tanto| tanta)? (sueño|hambre|frío|calor|sed)
            |che (giornata|settimana|stanchezza|caldo|freddo|sonno|noia|fatica|palle|stress)( che ho| che fa)?|finalmente (è )?(venerdì|finito|weekend)|non ne posso più|ho( tanto| tanta| troppo| troppa)? (sonno|fame|freddo|caldo|sete)){_TODAY}
        [唉哎呀啊哇，,\s]*(今天)?((真的?|好|太|实在)+是?(累|困|热|冷|饿|烦|忙|无聊|开心|难受)|[累困热冷饿烦气]死我?|终于(下班|周五|周末|放假|搞定|弄完|结束)|不想[动干]|不想上班)[了啊呀吧]*
    """,
}  # fmt: skip
PHRASES = {
    name: typed(lines) + (r"[^\w?？]*\Z" if name == "exclamation" else r"\W*\Z") for name, lines in _LINES.items()
}
ASKED = regex(
    typed(r"""\A((((kannst|könntest|würdest) du( mir| uns)?( bitte| mal| kurz| vielleicht)*|(können|könnten|würden) sie( mir)?( bitte| mal| kurz)*|(sag|sagst|sagen|weißt|wissen)( du| sie)?( mir)?( bitte| mal)*
    (est-ce que )?((tu|vous) (peux|pouvez|pourrais|pourriez|sais|savez)|(peux|pourrais|sais)-tu|(pouvez|pourriez)-vous)( me| m')?( dire)?|(dis|dites)-moi
    (me )?(puedes|podrías|puede|podría)( decirme)?|dime|sabes|(mi )?(puoi|potresti|può)( dirmi)?|dimmi|sai( dirmi)?|mi dici|do you know)(?!\w)
    请问|请|麻烦|帮我|帮忙|你?知道|告诉我|你?能不能|可以)[\s,:]*){1,2}"""),
    FLAGS,
)
"""What asks for it first: "kannst du mir", "tu peux me dire"."""
