"""Names that outputs keep as they are: ids of documents, places of files.

No rule guesses which of them say who somebody is ("mark young, 1951" is ordinary words): all are
reported except those that, by a small list of words, identify nobody."""

import re
from collections.abc import Iterable, Mapping

from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.formats.base import common_suffix, stem

_PAPERS = "|".join(vocabulary("texts")["papers"])
_WORDS = rf"(?:(?:{_PAPERS})s?|in(?:put)?|out(?:put)?|[ ._()-])*+"
_PLAIN = rf"{_WORDS}[a-z]?{_WORDS}(?:\d{_WORDS}){{0,4}}"
"""Names that identify nobody: such words, with at most one letter and four digits ("doc-1", "Page
2")."""
_PLACE = rf"{_PLAIN}(?:/{_PLAIN})*"
_MADE = r"(?:-\d{1,8})?"  # what follows the name of the file in ids that INTACT made
_TOLD = "the output keeps names of the input, which may say who somebody is"
_REMEDIES = {"document id": "change the ids", "file name": "rename the file, or what has its name"}


def unchecked_names(ids: Mapping[str, str], files: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Write a warning that counts the ids and places that stay as they are, and list them. "" and
    () if there are none.

    Args:
        ids: ids of documents, including those that INTACT made, each with the name of its file.
        files: names of the files, as messages have them.
    """
    made = {one for one, file in ids.items() if re.fullmatch(_MADE, one.removeprefix(stem(file)))}
    own = [one for one in ids if one not in made and not re.fullmatch(_PLAIN, one.casefold())]
    places = (file.rpartition("/./" if "/./" in file else "/")[2] for file in files)
    bare = {place: place.casefold().removesuffix(common_suffix(place)) for place in places}
    odd = [place for place, one in bare.items() if not re.fullmatch(_PLACE, one)]
    counts = {thing: len(them) for thing, them in zip(_REMEDIES, (own, odd), strict=True) if them}
    shown = " and ".join(counted(count, thing) for thing, count in counts.items())
    remedies = "; ".join(_REMEDIES[thing] for thing in counts)
    return f"{_TOLD} ({remedies}): {shown}" if shown else "", (*own, *odd)
