"""The things of a document."""

from dataclasses import replace

import pytest

from intact.discourse.things import court_rank, unified
from intact.domain import Document, IdentifierType, Mention, Span

TYPES = {"p": "PERSON", "o": "ORG", "l": "LOC", "d": "DEM", "m": "MISC", "q": "QUANTITY"}
TYPES |= {"c": "CODE"}


def document(text, direct="p"):
    """ "[p:Mr Novak]" is a person; every mention is an entity of its own."""
    plain, mentions = "", []
    for part in text.replace("]", "[").split("["):
        kind, colon, shown = part.partition(":")
        if colon and kind in TYPES:
            span = Span(len(plain), len(plain) + len(shown))
            risk = IdentifierType.DIRECT if kind in direct else IdentifierType.QUASI
            number = len(mentions)
            mentions.append(Mention(f"m{number}", span, shown, f"e{number}", TYPES[kind], risk))
            plain += shown
        else:
            plain += part
    return Document("d", plain, tuple(mentions))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[p:Mr R. Novak] spoke. [p:Mr Novak] left.", [0, 0]),
        ("[p:Ms Danuta Novak], daughter of [p:Ms Wanda Novak]; [p:Ms Novak] left.", [0, 1, 1]),
        ("[p:Mr Novak] and [p:Mrs Novak]", [0, 1]),
        ("[p:Susan Hale], [p:Hale]; [p:Mr Hale], [p:Hale]", [0, 0, 2, 0]),
        ("the [o:Wexham Assize Court]; later the [o:Assize Court] sat", [0, 0]),
        ("the [o:Wexham Assize Court], the [o:Oldham Assize Court], the [o:Assize Court]",
         [0, 1, 2]),
        ("the [o:Administrative Court of Appeal], then the [o:Administrative Court]", [0, 1]),
        ("[q:100 pounds], [q:a hundred pounds], [q:a hundred pounds a week]", [0, 0, 2]),
        ("the [o:Inland Water Board] (“the [o:IWB]”); the [o:IWB] and [l:IWB]", [0, 0, 0, 3]),
    ],
)  # fmt: skip
def test_what_annotators_split_is_one_again(text, wanted):
    assert [m.entity_id for m in unified(document(text)).mentions] == [f"e{n}" for n in wanted]


def test_what_contradicts_is_not_one():
    plain = document("[o:Acme Ltd] and [o:Acme Ltd]", direct="")
    first, second = plain.mentions
    direct = Mention("m0", first.span, first.text, "e0", "ORG", IdentifierType.DIRECT)
    mixed = Document("d", plain.text, (direct, second))
    assert {m.entity_id for m in unified(mixed).mentions} == {"e0", "e1"}
    assert {m.entity_id for m in unified(plain).mentions} == {"e0"}
    shown = "[p:Danuta Novak] [p:Novak] [p:Wanda Novak] [p:Novak]"
    ids = [m.entity_id for m in unified(document(shown)).mentions]
    assert ids[0] != ids[2]


def test_an_entity_of_several_types_is_a_thing_of_each():
    made = document("[l:Bray], a [d:nurse], of [l:Bray]; [l:Cork]", direct="")
    ids = ("e0", "e0", "e0", "e3")
    same = (replace(m, entity_id=own) for m, own in zip(made.mentions, ids, strict=True))
    apart = unified(replace(made, mentions=tuple(same)))
    assert [m.entity_id for m in apart.mentions] == ["e0", "e0:DEM", "e0", "e3"]
    assert unified(apart) == apart


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the [o:Wexham Court of Appeal] upheld the [o:Wexham Assize Court]’s judgment",
         "higher lower"),
        ("The [o:Old Hall] upheld the claim against the [o:New Hall]", "- -"),
        ("He appealed to the [o:Old Hall], which quashed the decision of the board", "-"),
    ],
)  # fmt: skip
def test_which_court_is_above_which_is_told_by_name(text, wanted):
    assert [court_rank(entity) or "-" for entity in document(text).entities] == wanted.split()
