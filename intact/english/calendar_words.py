"""The words of the calendar: months and weekdays in European languages, seasons, parts."""

from __future__ import annotations

import unicodedata

_MONTHS = r"""
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar märz april mai juni juli august sept oktober november dezember
jänner feber maerz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
január február március április május június július augusztus szeptember október november december
leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
ledna února března dubna května června července srpna září října listopadu prosince
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu \
joulukuu
jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου \
νοεμβρίου δεκεμβρίου
"""

MONTH_NAMES = (
    "January February March April May June July August September October November December"
).split()

_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday
mon tue wed thu fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
lunedì martedì mercoledì giovedì venerdì sabato domenica
pazartesi salı çarşamba perşembe cuma cumartesi pazar
måndag tisdag onsdag torsdag fredag lördag söndag
mandag tirsdag onsdag torsdag fredag lørdag søndag
poniedziałek wtorek środa czwartek piątek sobota niedziela
"""

_SEASONS = """
spring summer autumn winter
springtime summertime fall wintertime
frühling sommer herbst winter
printemps été automne hiver
primavera verano otoño invierno
primavera estate autunno inverno
ilkbahar yaz sonbahar kış
vår sommar höst vinter
wiosna lato jesień zima
"""


def _table(text: str) -> dict[str, int]:
    """Each word to its place in its line, counted from 1; accents may be left out."""
    words: dict[str, int] = {}
    for line in text.replace("\\\n", "").strip().splitlines():
        for index, word in enumerate(line.split(), start=1):
            words.setdefault(word, index)
            words.setdefault(_bare(word), index)
    return words


def _bare(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


MONTHS = _table(_MONTHS)
WEEKDAYS = _table(_WEEKDAYS)
SEASONS = _table(_SEASONS)
DECADES = {
    f"{word[:-1]}ies": 10 * ten
    for ten, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}

PARTS: dict[str, tuple[int, int]] = {
    # part: (numerator range in twelfths), start inclusive, end exclusive
    "early": (0, 4),
    "beginning": (0, 4),
    "start": (0, 4),
    "opening months": (0, 4),
    "first third": (0, 4),
    "mid": (4, 8),
    "middle": (4, 8),
    "second third": (4, 8),
    "late": (8, 12),
    "end": (8, 12),
    "close": (8, 12),
    "last third": (8, 12),
    "final third": (8, 12),
    "first half": (0, 6),
    "second half": (6, 12),
    "latter half": (6, 12),
    "last half": (6, 12),
    "first quarter": (0, 3),
    "second quarter": (3, 6),
    "third quarter": (6, 9),
    "fourth quarter": (9, 12),
    "last quarter": (9, 12),
}
"""Parts of a year, decade or century, in twelfths: "early" is the first third, and so on.

In a year these are months ("early 1996": January to April); in a month, days (1 to 10, 11 to 20,
21 to the end; halves 1 to 15 and 16 to the end); in a decade the thirds are the years 0 to 3,
4 to 6 and 7 to 9, the halves 0 to 4 and 5 to 9; in the 20th century (1901 to 2000) 1901 to 1933,
1934 to 1966, 1967 to 2000, and 1901 to 1950, 1951 to 2000.
"""

DAY_PARTS: dict[str, tuple[int, int]] = {
    # minutes of the day, ends inclusive; past midnight counts on from 1440
    "early morning": (4 * 60, 9 * 60),
    "late morning": (9 * 60, 12 * 60),
    "morning": (0, 12 * 60),
    "early afternoon": (12 * 60, 15 * 60),
    "late afternoon": (15 * 60, 18 * 60),
    "afternoon": (12 * 60, 18 * 60),
    "early evening": (18 * 60, 21 * 60),
    "late evening": (21 * 60, 24 * 60 - 1),
    "evening": (18 * 60, 24 * 60 - 1),
    "first half of the day": (0, 12 * 60),
    "second half of the day": (12 * 60, 24 * 60 - 1),
    "early hours": (0, 6 * 60),
    "small hours": (0, 4 * 60),
    "middle of the day": (11 * 60, 14 * 60),
    "daytime": (6 * 60, 18 * 60),
    "night": (20 * 60, 30 * 60),
    "noon": (720, 720),
    "midday": (720, 720),
    "midnight": (0, 0),
}
"""Parts of the day. "Morning" begins at midnight: "4 a.m." is "four in the morning"."""
