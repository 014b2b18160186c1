"""Labels: type and running number."""

import pytest

from intact import sanitize
from intact.domain import Document, EntityType, Mention, Span
from intact.errors import ConfigError
from intact.planning.ladder import labels


def document():
    text = "Ann met Bob in Hull. Bob left."
    people = EntityType.PERSON
    return Document(
        "d",
        text,
        (
            Mention("3", Span(21, 24), "Bob", "bob", people),
            Mention("1", Span(0, 3), "Ann", "ann", people),
            Mention("2", Span(8, 11), "Bob", "bob", people),
            Mention("4", Span(15, 19), "Hull", "hull", "SHIP"),
        ),
    )


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("underscore", ["PERSON_1", "PERSON_2", "SHIP_1"]),
        ("brackets", ["[PERSON 1]", "[PERSON 2]", "[SHIP 1]"]),
        ("stars", ["***", "***", "***"]),
        ("readable", ["the first person", "the second person", "the first ship"]),
    ],
)
def test_numbers_run_per_type_in_order_of_first_mention(style, expected):
    own = zip(["ann", "bob", "hull"], expected, strict=True)
    assert labels(document().entities, style) == dict(own)


def test_labels_without_titles_and_unknown_styles():
    with pytest.raises(ConfigError, match="underscore, brackets, stars, readable"):
        labels(document().entities, "emoji")
    text = "Mr Ek"
    one = Document("d", text, (Mention("m", Span(0, 5), text, "e", EntityType.PERSON),))
    assert labels(one.entities, "stars")["e"] == "***"
    assert labels(one.entities, "readable")["e"] == "the first person"


@pytest.mark.parametrize(
    ("surface", "kind", "expected"),
    [
        ("a lay preacher", EntityType.DEM, "DETAIL_1"),
        ("cable ship", EntityType.MISC, "DETAIL_1"),
        ("HCMC", EntityType.MISC, "DETAIL_1"),  # of what is it short?
        ("Wrangle Bank", EntityType.MISC, "NAME_1"),
        ("Stosh", EntityType.MISC, "NAME_1"),
    ],
)
def test_labels_say_in_plain_english_what_they_stand_for(surface, kind, expected):
    one = Document("d", surface, (Mention("m", Span(0, len(surface)), surface, "e", kind),))
    assert labels(one.entities)["e"] == expected


def titled(*surfaces):
    text = " and ".join(surfaces)
    mentions, at = [], 0
    for number, surface in enumerate(surfaces):
        span = Span(at, at + len(surface))
        mentions.append(Mention(str(number), span, surface, "e", EntityType.PERSON))
        at = span.end + len(" and ")
    return labels(Document("d", text, tuple(mentions)).entities)["e"]


@pytest.mark.parametrize(
    ("surfaces", "expected"),
    [
        (("Mr. Bo Ek", "Ek"), "Mr PERSON_1"),
        (("Mrs Ada Ek", "Ms Ek"), "Ms PERSON_1"),
        (("Mr Ek", "Mrs Ek"), "PERSON_1"),
        (("Dr Ek",), "PERSON_1"),
        (("Mr",), "Mr PERSON_1"),
        (("Mr and Mrs Ek",), "PERSON_1"),
    ],
)
def test_a_plain_title_stays_where_the_mentions_agree(surfaces, expected):
    assert titled(*surfaces) == expected


def test_a_title_stands_where_the_original_has_one():
    text = "Ann Lee came. Mrs Lee left, Ann said."
    at = [text.index(name) for name in ("Ann Lee", "Mrs Lee", "Ann said")]
    spans = [Span(at[0], at[0] + 7), Span(at[1], at[1] + 7), Span(at[2], at[2] + 3)]
    mentions = tuple(Mention(str(n), s, s.of(text), "e", "PERSON") for n, s in enumerate(spans))
    (done,) = sanitize([Document("d", text, mentions)])
    assert done.text == "PERSON_1 came. Ms PERSON_1 left, PERSON_1 said."
