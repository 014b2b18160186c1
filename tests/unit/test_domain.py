"""The table of entity types, and the small rules of what the package talks about."""

import re
from pathlib import Path

import pytest

import intact
from intact import domain
from intact.domain import (
    BY_CONCEPT,
    BY_VALUE,
    ENTITY_TYPES,
    LABEL_ONLY,
    Covered,
    Document,
    Edit,
    EntityType,
    Mention,
    Span,
    apply_edits,
    type_named,
    type_row,
)
from intact.errors import DocumentError


def test_the_table_of_types_is_sound():
    named = {value for key, value in vars(EntityType).items() if key.isupper()}
    assert named <= set(ENTITY_TYPES)
    aliases = [alias for row in ENTITY_TYPES.values() for alias in (row.name, *row.aliases)]
    assert len(aliases) == len(set(aliases))
    assert {"PERSON", "CODE"} == LABEL_ONLY
    assert {"DATETIME", "QUANTITY"} == BY_VALUE
    assert {"LOC", "ORG", "DEM", "MISC"} == BY_CONCEPT
    assert type_row("SPACE_SHIP").noun == "space ship"
    assert not type_row("SPACE_SHIP").generalisable


@pytest.mark.parametrize(
    ("name", "kind"),
    [("gpe", "LOC"), ("Email-Address", "CODE"), ("work of art", "MISC"), ("SHIP", "SHIP")],
)
def test_names_of_other_tools(name, kind):
    assert type_named(name) == kind


def test_groups_of_types_are_written_nowhere_else():
    group = re.compile(
        r"[({\[]\s*(?:EntityType\.)?\W?(DATETIME|QUANTITY)\W?,\s*(?:EntityType\.)?\W?(DATETIME|QUANTITY)\W?\s*[])}]"
    )
    package = Path(intact.__file__).parent
    found = [
        str(path)
        for path in package.rglob("*.py")
        if path != Path(domain.__file__) and group.search(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(("start", "end"), [(3, 3), (5, 2), (-3, 2), (-3, -1)])
def test_offsets_are_checked_where_they_come_in(start, end):
    with pytest.raises(DocumentError, match="empty or negative"):
        Span.read(start, end)
    text, span = "Ann met Bob", Span(start, end)
    with pytest.raises(DocumentError, match="mention m1"):
        Document("d", text, (Mention("m1", span, span.of(text), "e", "PERSON"),))
    with pytest.raises(DocumentError, match="empty, overlaps"):
        apply_edits(text, (Edit(span, "x"),))
    with pytest.raises(DocumentError, match="mention m1"):  # it ends behind the text
        Document("d", text, (Mention("m1", Span(8, 99), "Bob", "e", "PERSON"),))


def test_many_spans_are_asked_about_at_once_and_stay_in_order():
    inside, half, outside = Span(3, 5), Span(5, 7), Span(0, 2)
    covered, asked = Covered("ten signs.", [Span(2, 4), Span(4, 6)]), [half, inside, outside]
    assert covered.held(asked) == [inside]
    assert covered.free([*asked, outside]) == [outside, outside]
