"""Orders: lines that speak to an agent and not to a person: orders, claims of authority, and what plays a system, a tool or a memory.

In five languages, by how such lines are put. That is no proof of anything, and nobody's own words are lost by it: it only says of
what others wrote that it is not to be told, and of the person's own notes that something in them was hardly written by a person.
"""

from __future__ import annotations

from hookclaw_py.kept import of_texts
from hookclaw_py.regex import regex

_TAGS = r"""relevant_memories|session_memory|agent_messages|memory\s[^>\n]{0,200}source=|/memory|supermemory[\w-]*|claude-mem[\w-]*|c-mem[\w-]*|mem0[\w-]*|long[_-]term[_-]memory|zep[_-]context|facts
    |user[_-]memories|letta[\w-]*|memory[_-]blocks?|core[_-]memory|archival[_-]memory|memory[_-]context|recalled[_-]memories|memories|memory
    |system|system[-_](?:prompt|message|instructions?|reminder)|tool[_-](?:result|output|response|call)s?|function[_-](?:results?|calls?)|assistant|developer|instructions?|important"""
FORGED = regex(
    rf"""(?ix) <\s*/?\s*(?:{"".join(_TAGS.split())})[^<>\n]{{0,200}}/?> | <\|im_(?:start|end)\|> | <\|(?:system|user|assistant|end\w*)\|> | \[/?INST\] | <</?SYS>>
      | ^\W*\#{{2,}}\s*(?:system|assistant|user|instruction)s?\s*: | \[\s*system(?:\ \w+)?\s*\] | 【\s*系统
      | ^\W*\*\*Relevant\ Memories:\*\* | ^>\ \*\w+\*\ \|\ `"""
)
"""What plays a system, a tool, a turn, our own block or that of another memory."""
_ROLE = regex(r"(?i)^\W*(?:system|developer|tool|function)\s*[:：]\s*\S")

_DISREGARD = r"""
      ignore\s+(?:all|any|every|the|your|previous|prior|earlier|older)\b .{0,40} \b(?:instruction|prompt|rule|note|memor|entr|guideline|polic)\w*
    | disregard\s+(?:all|any|every|the|your|previous|older)\b .{0,40} \b(?:instruction|prompt|rule|note|memor|entr|guideline|polic)\w*
    | forget\s+(?:all|everything|your|previous)\b .{0,40} \b(?:instruction|prompt|rule|guideline)\w* | override\s+(?:all|any|the|your)\b .{0,40} \b(?:instruction|rule|note|memor|polic)\w*
    | ignorier\w*\ .{0,40}\b(?:anweisung|regel|notiz|erinnerung|eintr|vorgabe)\w* | missachte\w*\ .{0,40}\b(?:anweisung|regel|notiz)\w* | vergiss\ .{0,40}\b(?:anweisung|regel|vorgabe)\w*
    | beachte\s+kein\w*\ .{0,40}\b(?:anweisung|regel|notiz|erinnerung|eintr)\w*
    | ignore[sz]?\ (?:toutes?|les|tes|vos)\b.{0,50}(?:instruction|consigne|règle|note|souvenir|entrée)\w* | oublie[sz]?\ (?:toutes?|les|tes|vos)\b.{0,50}(?:instruction|consigne|règle)\w*
    | ne\s+tiens\s+(?:pas\s+)?compte\ .{0,50}(?:instruction|consigne|note|souvenir|entrée)\w*
    | ignora\ .{0,50}(?:instruccion|regla|nota|recuerdo|entrada)\w* | olvida\ (?:todas|las|tus)\b.{0,50}(?:instruccion|regla)\w* | no\s+hagas\s+caso\ .{0,50}(?:instruccion|nota|recuerdo|entrada)\w*"""
_DIRECTED = r"""
      the\s+(?:assistant|agent|ai|model)\s+(?:must|has\s+to|should|shall|will)\s+(?:always|never|only|now|not|answer|reply|respond|say|tell|recommend|use|send|call|pass)\b
    | (?:must|do)\s+not\s+(?:mention|tell|reveal|show|inform)\b .{0,40}\b(?:user|owner|human)\b
    | (?:der|dein)\s+(?:assistent|agent)\s+(?:muss|soll|hat|darf)\b | hat\s+der\s+(?:assistent|agent)\b | l['’](?:assistant|agent)\s+(?:doit|devra)\b
    | el\s+(?:asistente|agente)\s+(?:debe|tiene\s+que)\b"""
_OBEY = r"""
      you\s+(?:must|have\s+to|should|shall|will)\s+(?:always\s+|never\s+|only\s+|now\s+)?(?:answer|reply|respond|say|tell\s+the\ user|recommend)\b
    | always\s+(?:answer|reply|respond)\b | only\s+(?:answer|reply|respond)\b | from\s+now\s+on,?\s+(?:you|answer|reply|respond|always)\b | (?:answer|reply|respond)\s+(?:only\s+)?with\s+(?!one\b|yes\b|no\b|an?\b)
    | du\s+(?:musst|sollst|darfst)\s+(?:immer|nie|nur)\s+(?:\S+\s+){0,3}?(?:antwort|sag)\w* | antworte\s+(?:immer|nur|stets|mit|darauf)\b
    | tu\s+dois\s+(?:toujours|jamais|seulement)\s+(?:répondre|dire) | réponds\s+(?:toujours|seulement|avec|uniquement|par)\b | ,\s+réponds\s
    | debes\s+(?:\w+\s+)?(?:siempre|nunca|solo|responder|decir)\b | (?:responde|contesta)\s+(?:siempre|solo|con)\b"""
_COUNTS_MORE = r"""
      (?:this|only\s+this)\s+(?:note|entry|memory|record)\s+(?:supersedes?|replaces?|overrides?|takes\s+precedence|is\s+authoritative|counts) | supersedes\s+(?:all|any|every)\b
    | all\s+other\s+(?:notes?|entries|memories|records?)\s+(?:are|is)\b | only\s+this\s+one\s+counts\b
    | diese[rs]?\s+(?:notiz|eintrag)\s+(?:ersetzt|überschreibt|geht\s+vor)\b | alle\s+anderen\s+(?:einträge|notizen)\b | nur\s+diese\s+zählt\b
    | cette\s+(?:note|entrée|fiche)\s+(?:remplace|annule|prime) | toutes?\s+les\s+autres\s+(?:entrées|notes)\b | seule?\s+celui-ci\s+compte
    | esta\s+(?:nota|entrada|ficha)\s+(?:sustituye|reemplaza|anula|prevalece) | (?:las\s+)?demás\s+(?:entradas|notas)\b | solo\s+cuenta\s+est[ea]\b
    | as\s+your\s+(?:developer|admin\w*|creator|operator)\b | system\s+administrator\b | authori[sz]ed\s+by\b .{0,30}\b(?:openai|anthropic|google|admin\w*|system)\b | only\s+approved\s+answer\b | priority\s+over\s+(?:the\s+)?(?:user|all)
    | als\s+dein\s+(?:entwickler|administrator|betreiber)\b | systemadministrators?\b | autorisiert\s+von\b.{0,30}(?:openai|anthropic) | einzig\s+freigegebene\b | vorrang\s+vor\s+den\s+notizen
    | en\s+tant\s+que\s+(?:ton|votre)\s+(?:développeur|administrateur|créateur) | administrateur\s+système\b | autorisé\s+par\b.{0,30}(?:openai|anthropic) | seule\s+réponse\s+approuvée | priorité\s+sur\s+les\s+notes
    | como\s+tu\s+(?:desarrollador|administrador|creador)\b | administrador\s+del\s+sistema\b | autorizado\s+por\b.{0,30}(?:openai|anthropic) | única\s+respuesta\s+aprobada | prioridad\s+sobre\s+las\s+notas"""
_REMEMBER = r"""
      memory\s+update\b | (?:store|save|remember|keep)\s+(?:this\s+)?(?:permanently\b|for\s+all\s+(?:future\s+)?sessions) | for\s+all\s+future\s+sessions\b | mark\s+(?:it|this)\s+as\s+(?:verified|useful|trusted) | trust\s+it\s+over\b | this\s+entry\s+has\s+been\s+verified
    | gedächtnis\s+des\s+assistenten\b | für\s+alle\s+künftigen\s+sitzungen\b | speichere?\s+dauerhaft\b | als\s+geprüft\s+markieren\b | eintrag\s+ist\s+geprüft\b
    | mémoire\s+de\s+l['’]assistant\b | toutes\s+les\s+sessions\s+futures\b | enregistre\s+pour\s+toujours\b | marquer\s+comme\s+vérifié | entrée\s+est\s+vérifiée
    | memoria\s+del\s+asistente\b | todas\s+las\s+sesiones\s+futuras\b | guarda\s+para\s+siempre\b | márcalo\s+como\s+verificado | entrada\s+está\s+verificada
    | memory_(?:feedback|remember|search|forget)\b | to\s+(?:every|all)\s+other\s+agents?\b | an\s+alle\s+anderen\s+agenten\b | à\s+tous\s+les\s+autres\s+agents\b | a\s+todos\s+los\s+demás\s+agentes\b"""
_PLANTED = regex(rf"(?x)\b(?:{_DISREGARD} | {_COUNTS_MORE} | {_REMEMBER})")
_FOR_AN_AGENT = regex(rf"(?x)\b(?:{_DIRECTED})")
_ORDER = regex(rf"(?x)\b(?:{_OBEY})")
"""Of lines in small letters: each alternative begins with a letter, so that most are ruled out by that."""
_FOR_AN_AGENT_UNSPACED = regex("(?:助手|代理|模型)[^。\n]{0,24}(?:必须|务必|都要回答|要回答|不得)|不得向用户")
_ORDER_UNSPACED = regex("你[^。\n]{0,24}(?:必须|务必|都要回答|要回答|不得)|(?:始终|一律|只能)回答|时，?回答")
_PLANTED_UNSPACED = regex(
    r"""(?x) (?:忽略|无视|忘记).{0,12}(?:指令|指示|规则|笔记|记忆|提示)
    | 本(?:笔记|条目|记录)(?:取代|替代|优先)|其他(?:条目|笔记)均?已?(?:作废|过时|无效)|只有这条算数
    | 作为你的(?:开发者|管理员|创建者)|系统管理员|优先于(?:用户|其他)|唯一批准
    | 助手记忆|以后所有会话|永久保存|标记为已核实|此条目已核实|所有其他代理"""
)


@of_texts
def planted_in(text: str) -> str:
    """Return the first line that nobody writes to themselves: it plays a system, a tool or a memory, or claims to count more; or ""."""
    return next((line.strip() for line in text.split("\n") if _is_planted(line)), "")


@of_texts
def directed_in(text: str) -> str:
    """Return the first line that is planted, or says what an agent has to do; "" where none does."""
    return planted_in(text) or next((line.strip() for line in text.split("\n") if _is_directed(line.lower())), "")


@of_texts
def order_in(text: str) -> str:
    """Return the first line that is planted, directed at an agent, or orders somebody to answer something; "" where none does.

    An agent may say so to a person ("you should reply to Carl"): it tells something only of what others wrote.
    """
    return directed_in(text) or next((line.strip() for line in text.split("\n") if _is_order(line.lower())), "")


def _is_planted(line: str) -> bool:
    small = line.lower()
    said = _PLANTED.search(small) or (not line.isascii() and _PLANTED_UNSPACED.search(small))
    return bool(said or FORGED.search(line))


def _is_directed(small: str) -> bool:
    return bool(_FOR_AN_AGENT.search(small) or (not small.isascii() and _FOR_AN_AGENT_UNSPACED.search(small)))


def _is_order(small: str) -> bool:
    return bool(_ORDER.search(small) or _ROLE.match(small) or (not small.isascii() and _ORDER_UNSPACED.search(small)))
