"""What converts a unit into another, or asks how many of one are in the other: "2.4 bar in psi", "wieviel gramm hat ein pfund"."""

from __future__ import annotations

from hookclaw_py.speech.typed import typed

_MEASURE = typed(
    """(quadrat|kubik)?(milli|mili|centí|zenti|kiló|chilo)?mèt(e?r[eoisn]*)( carrés?| cubes?| cuadrados?| cúbicos?| quadr(at)?[oi]| cub[oi])?|(sq|square) (f(ee|oo)?t|met(er|re)s?|miles?|km|m|yards?)|[mck]?m[²2³3]?|f[oe]*t2?
    inch(es)?|zoll|pouces?|pulgadas?|pollic[ei]|fuß|pieds?|pies?|pied[ei]|yardas?|yards?|iard[ae]|(nautical |see)?(miles?|meilen?|milles?|millas?|migli[ao]|mi)
    (milli|mili|kilo|chilo)?gram[mes]*|(milli|kilo|chilo)?gramm?[ois]+|kilos?|chil[oi]|ett[oi]|[mk]?gs?|pfund|pounds?|lbs?|livres?|libras?|libbr[ae]|ounces?|unzen?|onces?|onzas?|onc[ei]a?|(fl|fluid)\\.? (oz|ounces?)|oz|stones?|zentner|ton[nes]*|tonelada[s]?|tonnellat[ae]
    (milli|mili|centi|deci|zenti)?lit(e?r[eoisn]*)|[mc]?l|cups?|tassen?|tasses?|tazas?|tazz[ae]|pints?|quarts?|gallon[esi]*|galon(es)?|galón|(tea|table) ?spoons?|tb?sps?|esslöffeln?|teelöffeln?|el|tl|cuillères? à (soupe|café)|cucharad(it)?as?|cucchiai(o|no|ni)?
    (degrees? |grad |grados |gradi |degrés )?(celsius|fahrenheit|kelvin|centígrados)|grad|grados|gradi|degrés|°\\s?[cfk]|[cfk]
    psi|[hk]?pa|m?bars?|bares|atm|mph|kph|kmh|km/h|knots?|kn|knoten|nœuds?|nudos|stundenkilometer|acres?|hectares?|hektar|hectáreas?|ettar[oi]|ha|ar|ares?|hp|bhp|ps|cv|ch|horse ?power|chevaux|caballos|cavalli|kw|kilowatts?|watts?
    calories|kcal|kj|joules?|bytes?|[kmgt]i?b|bits?|英里|英尺|英寸|公里|千米|厘米|毫米|米|里|磅|盎司|千克|公斤|克|斤|两|吨|毫升|升|加仑|杯|摄氏度?|华氏度?|度|公顷|亩|平方公里|平方米|英亩|马力|千瓦|巴|千帕"""
)
_TIME = typed(
    """seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|secondes?|heures?|jours?|semaines?|mois|ans?|années?
    segundos?|minutos?|horas?|días?|semanas?|mes|meses|años?|second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|小时|分钟|秒|天|周|星期|个月|月|年"""
)
_MONEY = typed(
    """usd|eur|gbp|jpy|inr|chf|cny|dollars?|euros?|yen|yuan|pesos?|rupees?|francs?|€|\\$|£|franken|pfund|rubel|dólares|dólar|libras?( esterlinas)?|dollar[oi]|franchi|sterline|美元|欧元|人民币|日元|英镑|元"""
)
_LEAD = typed(
    """(i want to convert|convert|how many|how much|what|what's|is|are|does|wieviele?|wie viele?|was|ist|sind|macht|machen|rechne|rechnen|wandle|konvertiere|mir|bitte|mal|convertis|convertir|combien|de|d'|fait|font|ça|c'est
    |cuánt[oa]s?|es|son|convierte|convertir|pasa|pasar|hay|quant[oiae]|sono|fa|fanno|converti|convertire|approximately|about|ungefähr|把|将)"""
)
_LINK = typed(
    "(in|to|into|make|makes|equals?|is|are|there|as|how many|sind|ist|hat|haben|ergeben|ergibt|macht|machen|auf|nach|wie ?viele?|en|dans|à|fait|font|fais|ça|y a-t-il|il y a|combien|de|d'|c'est|vaut|hay|tiene|son|es|a|cuánt[oa]s?|sono|ci sono|fa|fanno|ha|quant[oiae]|=|->|→|等于|换算成|换成|转成|转换成|折合|合|相当于|是|有|多少|几)"
)
_LINK_OF_TIME = typed(
    "(in|to|into|is|are|there|equals?|as|sind|ist|hat|haben|ergeben|dans|fait|font|il y a|y a-t-il|en|hay|tiene|son|ha|ci sono|sono|等于|换算成|是|有|多少|几)"
)
_A = typed("an?|one|two|three|half an?|eine?[mrn]?|zwei|drei|une?|deux|trois|una?|uno|dos|tres|un'|due|tre")
_NUMBER = r"(?:[\d.,/]{1,12}|[一二两三四五六七八九十百千万半]{1,6}|[1-9]\ [1-9]/[1-9])"


def _between(unit: str, link: str) -> str:
    """Return what asks for a number of one of these units in another."""
    return rf"""(?:{_LEAD}\ ?){{0,4}}(?:{_NUMBER}\s?个?)?(?:{unit})\s?(?:(?:{link})(?:\ |(?<=[\u4e00-\u9fff])\s?)){{1,4}}(?:(?:{_A})\ ?|{_NUMBER}\s?)?(?:{unit})(?:\ um(?:rechnen)?)?[呢啊]?\W*\Z"""


CONVERSION = rf"""(?=[^\n]{{0,60}}(?:\d|\bconvert|[一二两三四五六七八九十百千万半]|\b{_A}(?:\ |(?<=['’])))) (?:{_between(_MEASURE, _LINK)} | {_between(_TIME, _LINK_OF_TIME)} | {_between(_MONEY, _LINK)})"""
"""Units of one class only: pressure, length and the like are one, since a cup has grams; days are another, euros a third."""
