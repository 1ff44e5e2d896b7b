"""The words that speak of time, in ten languages: data, and the dictionary made of it."""

from __future__ import annotations

import re
from typing import Any

from hookclaw_py.regex import regex
from hookclaw_py.text import STOP_WORDS, fold

# kind: value=words, alternatives separated by spaces. Umlauts and accents may be left out by the writer; "_" stands for a
# space. A feast is (feast of ``Cycle``):(days after it), or a day of the year.
_WORDS = """
the: the der die das den dem des le la les l el los las il lo gli
of: of de del du di da von d
and: and und et e y
a: a an un una une uno um uma ein eine einen einem einer een één
in: in en im dans nel em dentro_de в во на
during: during over throughout durante während
on: on
am: am vom zum
at: at um à zu
or: or oder
from: from с
between: between zwischen entre tussen между tra fra
to: to au through thru till bis hasta tot по
since: since seit depuis desde sinds
before: before avant antes
vor: vor
until: until
by: by entro
after: after nach après después dopo после
agopre: hace há
ago: ago geleden fa atrás назад
back: back
hence: hence
earlier: earlier later
now: now jetzt maintenant ahora
last: last previous prior letzte letzten letzter letztes vergangene vergangenen vergangenes vorige vorigen voriger voriges прошлый прошлая прошлую прошлой прошлом прошлое afgelopen dernières derniers últimas últimos ultimi ultime
past: past последние
beforelast: vorletzte vorletzten vorletzter vorletztes позапрошлой позапрошлом позапрошлый
passed: dernière dernier passé passée pasado pasada passado passada scorso scorsa último ultimo última ultima
this: this current diese diesen dieser dieses diesem cette ce cet esta este questo questa deze dit этой этом эту
next: next upcoming coming prochains prochaines próximos próximas prossimi prossime nächste nächsten nächster nächstes kommende kommenden volgende следующий следующей следующем следующую
afternext: übernächste übernächsten übernächster übernächstes
rest: rest remainder reste resto
coming: que_viene que_vienen qui_vient que_vem prochain prochaine próximo próxima prossimo prossima
every: every each jeden jede jedes chaque cada ogni elke каждый каждую
good: good guten goede happy great nice
early: early=0 anfang=0 début=0 principios=0 inizio=0 начале=0 mid=1 mitte=1 mediados=1 midden=1 середине=1 late=2 ende=2 fin=2 finales=2 eind=2 конце=2
edge: beginning=0 start=0 middle=1 end=2
few: couple=2 paar=2 few=3 several=3 einigen=3 quelques=3 unos=3 unas=3 algunos=3 algunas=3 несколько=3 dozen=12
half: half hälfte
number: one=1 eins=1 один=1 одну=1 two=2 zwei=2 deux=2 dos=2 due=2 dois=2 duas=2 twee=2 два=2 две=2 three=3 drei=3 trois=3 tres=3 tre=3 três=3 drie=3 три=3 four=4 vier=4 quatre=4 cuatro=4 quattro=4 quatro=4 четыре=4 five=5 fünf=5 cinq=5 cinco=5 cinque=5 vijf=5 пять=5 six=6 sechs=6 seis=6 zes=6 шесть=6 seven=7 sieben=7 siete=7 sette=7 sete=7 zeven=7 семь=7 eight=8 acht=8 huit=8 ocho=8 otto=8 oito=8 восемь=8 nine=9 neun=9 neuf=9 nueve=9 nove=9 negen=9 девять=9 ten=10 zehn=10 dix=10 diez=10 dieci=10 dez=10 tien=10 десять=10 eleven=11 elf=11 onze=11 twelve=12 zwölf=12 douze=12 thirteen=13 fourteen=14 fifteen=15 quinze=15 quince=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19
tens: twenty=20 zwanzig=20 vingt=20 veinte=20 venti=20 thirty=30 dreißig=30 trente=30 treinta=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90
nth: first=1 erste=1 ersten=1 erster=1 premier=1 première=1 primero=1 primera=1 primer=1 second=2 zweite=2 zweiten=2 deuxième=2 segundo=2 segunda=2 third=3 dritte=3 dritten=3 troisième=3 tercera=3 tercer=3 fourth=4 vierte=4 vierten=4 quatrième=4 fifth=5 sixth=6 seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11 twelfth=12 thirteenth=13 fourteenth=14 fifteenth=15 sixteenth=16 seventeenth=17 eighteenth=18 nineteenth=19 twentieth=20 thirtieth=30
unit: sec=second minute=minute min=minute minuto=minute minuut=minute минуту=minute hour=hour hr=hour stunde=hour heure=hour hora=hour ora=hour uur=hour час=hour day=day tages=day jour=day día=day dia=day giorno=day dag=day день=day week=week wk=week woche=week semaine=week semana=week settimana=week неделя=week неделю=week неделе=week weekend=weekend wochenende=weekend wochenendes=weekend week-end=weekend fin_de_semana=weekend выходные=weekend выходных=weekend fortnight=fortnight month=month mth=month monat=month monats=month mois=month mes=month mese=month mês=month maand=month месяц=month месяце=month quarter=quarter quartal=quarter quartals=quarter trimestre=quarter kwartaal=quarter квартал=quarter квартале=quarter year=year yr=year jahr=year jahres=year année=year año=year ano=year anno=year jaar=year год=year году=year decade=decade jahrzehnt=decade century=century
units: seconds=second secs=second sekunden=second secondes=second segundos=second minutes=minute mins=minute minuten=minute minutos=minute minuti=minute минут=minute минуты=minute hours=hour hrs=hour stunden=hour heures=hour horas=hour ore=hour uren=hour часов=hour часа=hour days=day tage=day tagen=day jours=day días=day dias=day giorni=day dagen=day дней=day дня=day weeks=week wks=week wochen=week semaines=week semanas=week settimane=week weken=week недель=week недели=week weekends=weekend fortnights=fortnight months=month mths=month monate=month monaten=month meses=month mesi=month maanden=month месяцев=month месяца=month quarters=quarter quartale=quarter quartalen=quarter years=year yrs=year jahre=year jahren=year ans=year années=year años=year anos=year anni=year jaren=year лет=year года=year decades=decade centuries=century
month: january=1 januar=1 jänner=1 januari=1 janvier=1 enero=1 gennaio=1 janeiro=1 январь=1 января=1 январе=1 february=2 febuary=2 feburary=2 feb=2 februar=2 februari=2 février=2 febrero=2 febbraio=2 fevereiro=2 февраль=2 февраля=2 феврале=2 märz=3 marzo=3 março=3 maart=3 март=3 марта=3 марте=3 april=4 avril=4 abril=4 aprile=4 апрель=4 апреля=4 апреле=4 maggio=5 maio=5 май=5 мая=5 мае=5 june=6 juni=6 juin=6 junio=6 giugno=6 junho=6 июнь=6 июня=6 июне=6 july=7 juli=7 juillet=7 julio=7 luglio=7 julho=7 июль=7 июля=7 июле=7 august=8 août=8 agosto=8 augustus=8 август=8 августа=8 августе=8 september=9 septembre=9 septiembre=9 settembre=9 setembro=9 сентябрь=9 сентября=9 сентябре=9 october=10 oktober=10 octobre=10 octubre=10 ottobre=10 outubro=10 октябрь=10 октября=10 октябре=10 november=11 novembre=11 noviembre=11 novembro=11 ноябрь=11 ноября=11 ноябре=11 december=12 dezember=12 décembre=12 diciembre=12 dicembre=12 dezembro=12 декабрь=12 декабря=12 декабре=12
maybe: jan=1 fev=2 march=3 mar=3 mars=3 mrz=3 apr=4 avr=4 abr=4 may=5 mai=5 mayo=5 mei=5 jun=6 jul=7 aug=8 sep=9 sept=9 oct=10 okt=10 ott=10 nov=11 dec=12 dez=12 dic=12
weekday: monday=0 montag=0 lundi=0 lunes=0 lunedì=0 maandag=0 segunda-feira=0 понедельник=0 понедельника=0 moday=0 tuesday=1 tuseday=1 teusday=1 dienstag=1 mardi=1 martes=1 martedì=1 dinsdag=1 terça-feira=1 вторник=1 вторника=1 wednesday=2 wensday=2 wednsday=2 wendesday=2 mittwoch=2 mercredi=2 miércoles=2 mercoledì=2 woensdag=2 quarta-feira=2 среду=2 среды=2 thursday=3 thurday=3 thrusday=3 donnerstag=3 jeudi=3 jueves=3 giovedì=3 donderdag=3 quinta-feira=3 четверг=3 четверга=3 friday=4 freitag=4 vendredi=4 viernes=4 venerdì=4 vrijdag=4 sexta-feira=4 пятницу=4 пятницы=4 saturday=5 saterday=5 samstag=5 sonnabend=5 samedi=5 sábado=5 sabato=5 zaterdag=5 субботу=5 субботы=5 sunday=6 sonntag=6 dimanche=6 domingo=6 domenica=6 zondag=6 воскресенье=6 воскресенья=6
weekdays: mondays=0 tuesdays=1 wednesdays=2 thursdays=3 fridays=4 saturdays=5 sundays=6
sat: mon=0 tue=1 tues=1 wed=2 weds=2 thu=3 thur=3 thurs=3 fri=4 sat=5
sun: sun=6
dayword: vorvorgestern=-3 vorgestern=-2 avant_hier=-2 après_demain=2 pasado_mañana=2 antes_de_ayer=-2 anteayer=-2 antier=-2 altroieri=-2 avantieri=-2 anteontem=-2 позавчера=-2 eergisteren=-2 yesterday=-1 yesterdays=-1 yesturday=-1 yesteday=-1 yestarday=-1 yday=-1 gestern=-1 ayer=-1 ieri=-1 ontem=-1 вчера=-1 gisteren=-1 today=0 todays=0 heute=0 aujourd=0 aujourd'hui=0 aujourd’hui=0 oggi=0 hoje=0 hoy=0 сегодня=0 vandaag=0 tomorrow=1 tomorrows=1 tommorow=1 tommorrow=1 tomorow=1 tmrw=1 demain=1 domani=1 amanhã=1 завтра=1 übermorgen=2 dopodomani=2 overmorgen=2 послезавтра=2
hier: hier
morgen: morgen=1 mañana=1
tonight: tonight=0 anoche=-1
part: morning=5-12 vormittag=5-12 früh=5-12 matin=5-12 утром=5-12 ochtend=5-12 noon=11-14 midday=11-14 afternoon=12-18 nachmittag=12-18 evening=17-24 abend=17-24 soir=17-24 avond=17-24 вечером=17-24 night=18-30 nacht=18-30 nuit=18-30 noche=18-30 notte=18-30 ночью=18-30
parts: mornings=0 afternoons=0 evenings=0 nights=0
season: frühling=0 frühjahr=0 printemps=0 primavera=0 summer=1 sommer=1 verano=1 estate=1 autumn=2 herbst=2 otoño=2 automne=2 autunno=2 winter=3 hiver=3 invierno=3 inverno=3
spring: spring=0 fall=2 été=1
decade: nineties=1990 eighties=1980 seventies=1970 sixties=1960
holiday: christmas=12-25 xmas=12-25 weihnachten=12-25 noël=12-25 navidad=12-25 natale=12-25 natal=12-25 halloween=10-31
feast: easter=0 pâques=0 pascua=0 pasqua=0 páscoa=0 pasen=0 thanksgiving=1
eve: eve veille réveillon
fest: heiligabend=12-24 heiligen_abend=12-24 heiliger_abend=12-24 nochebuena=12-24 weihnachtstag=12-25 boxing_day=12-26 silvester=12-31 nochevieja=12-31 nye=12-31 new_years_eve=12-31 neujahr=1-1 neujahrstag=1-1 año_nuevo=1-1 nouvel_an=1-1 la_toussaint=11-1 todos_los_santos=11-1 jour_de_l'an=1-1 ostern=0:0 gründonnerstag=0:-3 good_friday=0:-2 karfreitag=0:-2 ostermontag=0:1 pfingsten=0:49 pfingstmontag=0:50 pentecôte=0:49 chinese_new_year=2:0 lunar_new_year=2:0
valentine: valentine=2-14 valentines=2-14
new: new
hundred: hundred
thousand: thousand
kw: kw cw kalenderwoche
cal: calendar
other: altro
black: black
onward: onward onwards
il: il
"""

# Month names of further languages, and their words for yesterday and today: the gate in front of dateparser, which
# knows what they mean. From Unicode CLDR.
_ELSEWHERE = """
styczeń stycznia lutego luty marca marzec kwietnia kwiecień maja czerwca czerwiec lipca lipiec sierpnia sierpień września wrzesień
października październik listopada listopad grudnia grudzień leden ledna únor února březen března duben dubna květen května červen
června červenec července srpen srpna září říjen října prosinec prosince január januára február februára marec apríl apríla máj mája
jún júna júl júla októbra novembra decembra marts augusti tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta
heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta március április május június július augusztus szeptember ianuarie
februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie ocak şubat mart nisan mayıs haziran temmuz ağustos
eylül ekim kasım aralık січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня януари февруари
април юни юли септември октомври ноември декември ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου
σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου siječnja veljače ožujka travnja svibnja lipnja kolovoza rujna studenoga maret agustus
desember
"""
_DAY_ELSEWHERE = "wczoraj dzisiaj igår dün bugün tegnap eilen včera χθες kemarin"


def _value(text: str) -> Any:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if feast := re.fullmatch(r"(\d):(-?\d+)", text):
        return "feast", int(feast[1]), int(feast[2])
    return tuple(int(n) for n in text.split("-")) if re.fullmatch(r"\d+-\d+", text) else text


def _lexicon() -> dict[str, tuple[str, Any]]:
    known: dict[str, tuple[str, Any]] = {word: ("func", word) for word in STOP_WORDS["english"]}
    known |= {word: ("elsewhere", word) for word in _ELSEWHERE.split()}
    known |= {word: ("dayelsewhere", word) for word in _DAY_ELSEWHERE.split()}
    spelled: dict[str, tuple[str, Any]] = {}
    for line in _WORDS.strip().splitlines():
        kind, entries = line.split(": ")
        for entry in entries.split():
            word, _, value = entry.partition("=")
            spelled[word.replace("_", "-")] = (kind, _value(value or word))
    unaccented = {fold(word): entry for word, entry in spelled.items() if word != "março"}  # Marco is a name
    return known | unaccented | spelled


LEXICON = _lexicon()


def names_month(word: str) -> bool:
    """Say whether a lower-case word is the name of a month."""
    kind, _ = LEXICON.get(word.strip(".,"), ("", None))
    return kind in ("month", "maybe", "elsewhere")


_COMPOSED = {form for word in re.findall(r"[^\s=]+_[^\s=]+", _WORDS) for form in (word, fold(word))}
PHRASES = regex(rf"\b(?:{'|'.join(sorted(_COMPOSED)).replace('_', ' ')})\b")
"""Several words that are one: "avant hier" is "avant-hier"."""
_CUE_KINDS = """
    unit units month maybe weekday sat sun dayword dayelsewhere elsewhere hier morgen tonight part season spring decade holiday
    valentine feast fest weekdays kw passed coming ago thousand
"""
CUES = {"nineteen", "twenty", "feira"} | frozenset(
    word for word, (kind, _) in LEXICON.items() if kind in _CUE_KINDS.split()
)
