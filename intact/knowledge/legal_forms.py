"""Where companies of a legal form are registered: "GmbH" in four countries, "Oyj" in one.

Most abbreviations are used in several countries ("AS" in Norway, Estonia, Turkey ...). Such a
form tells no country, but it may agree with the one that a document speaks of.
"""

from __future__ import annotations

from collections.abc import Mapping

from intact.english.fold import key_words

_FORMS = """
ab: SE FI LT
ad: BG RS MK ME
ag: DE AT CH LI LU
as / a s / a.s: NO EE TR CZ SK LV DK
bv / b.v: NL BE SR
doo / d.o.o: HR SI RS BA ME MK
gmbh / gmbh & co / gmbh & co kg: DE AT CH LI LU
hf: IS
kg / ohg / ug: DE AT CH
n.v / nv: NL BE SR
sa / s.a / société anonyme: FR BE CH LU ES PT PL RO GR AR MX BR CL
sarl / s.a.r.l: FR BE CH LU MA TN DZ SN CI
sprl: BE CD BI RW
s.r.l / srl: IT RO ES AR MD BE
s.r.o / spol. s r.o: CZ SK
spa / s.p.a: IT CL DZ
vof / v.o.f: NL BE SR
"""


def _read() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    found = {}
    for line in _FORMS.strip().splitlines():
        names, _, countries = line.partition(": ")
        for name in names.split(" / "):
            found[key_words(name)] = tuple(countries.split())
    return found


_SHARED: Mapping[tuple[str, ...], tuple[str, ...]] = _read()


def countries_of(form: str) -> tuple[str, ...]:
    """ISO codes of the countries that use ``form``; empty if no list is kept of it."""
    return _SHARED.get(key_words(form), ())


def country_of(form: str, own: str, spoken_of: str) -> str:
    """The country of a company with the legal form ``form``, or "" if that is not sure.

    Args:
        own: ISO code that the knowledge file has for the form, "" if none.
        spoken_of: the one country the document speaks of, "" if there are several.
    """
    shared = countries_of(form)
    if not shared:
        return own
    return spoken_of if spoken_of in shared else ""
