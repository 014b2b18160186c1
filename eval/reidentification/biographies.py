"""Made-up biographies with their infoboxes: what papers on Wikipedia's people are rerun on.

Every person has an infobox (name, birth date in several notations and place, nationality,
occupation, club, years, award) and a biography that says most of it in its own words, with some
that nobody else has.
"""

from __future__ import annotations

from random import Random

_FIRST = "Ada Bo Cleo Dov Eva Finn Gus Hana Ivo Jana Karl Lena Milo Nora Otto Pia Rolf Sara".split()
_LAST = (
    "Alder Birk Carver Dorn Elm Falk Grau Holt Iver Jarl Kess Lind Moor Nash Orr Pell Quist Rask "
    "Stahl Thorn Udall Voss Wick Yates Zorn"
).split()
_PLACES = (
    ("Porto", "Portugal", "Portuguese"),
    ("Lyon", "France", "French"),
    ("Graz", "Austria", "Austrian"),
    ("Turin", "Italy", "Italian"),
    ("Malmö", "Sweden", "Swedish"),
    ("Bergen", "Norway", "Norwegian"),
    ("Gdańsk", "Poland", "Polish"),
    ("Seville", "Spain", "Spanish"),
    ("Leeds", "England", "English"),
    ("Osaka", "Japan", "Japanese"),
)
_TRADES = (
    "fencer cyclist sculptor poet painter footballer novelist violinist chemist botanist "
    "photographer journalist politician architect cricketer rower"
).split()
_CLUBS = (
    "Harbour Union,Northern Stars,Rovers of the Lake,Old Mill Society,Seven Bridges,"
    "Guild of St Anne,Red Lantern,Academy of Letters,City Orchestra,Polar Circle"
).split(",")
_AWARDS = (
    "Silver Quill,Golden Oar,Laurel of Merit,Iron Wheel,Blue Ribbon,Order of the Lamp,Amber Prize"
).split(",")
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_SAID = (
    "is remembered for a quarrel with a neighbour about a pear tree",
    "kept bees and wrote about them",
    "gave away most of the prize money",
    "began late, after years as a postal clerk",
    "walked to every engagement",
    "never learned to drive",
    "collected barometers",
    "was painted twice by a cousin",
    "spoke four languages badly",
    "lost everything in a flood",
)


def people(count: int, seed: int = 0) -> tuple[dict[str, str], dict[str, str]]:
    """Infoboxes, a value a line, and biographies of ``count`` people by id."""
    random = Random(seed)
    profiles: dict[str, str] = {}
    texts: dict[str, str] = {}
    for number in range(count):
        profiles[f"b{number}"], texts[f"b{number}"] = _person(random)
    return profiles, texts


def _person(random: Random) -> tuple[str, str]:
    first, middle, last = random.choice(_FIRST), random.choice(_FIRST), random.choice(_LAST)
    town, country, people_ = random.choice(_PLACES)
    year, month, day = random.randint(1880, 1995), random.randint(1, 12), random.randint(1, 28)
    trade, club, award = random.choice(_TRADES), random.choice(_CLUBS), random.choice(_AWARDS)
    began = year + random.randint(17, 30)
    name = _MONTHS[month - 1]
    born = (f"{day} {name} {year}", f"{name} {day}, {year}", f"{day:02}.{month:02}.{year}")
    place, began_in = f"{town}, {country}", str(began)
    values = (f"{first} {middle} {last}", *born, place, people_, trade, club, began_in, award)
    text = (
        f"{first} {middle} {last} (born {day} {name} {year}) is a {people_} {trade}. "
        f"Born in {town}, {last} joined {club} in {began} and stayed for "
        f"{random.randint(2, 20)} years. "
        f"{first} won the {award} in {began + random.randint(1, 9)}. "
        f"The {trade} {random.choice(_SAID)} and {random.choice(_SAID)}."
    )
    return "\n".join(values), text
