import pytest

from intact.domain import Document, IdentifierType, Span
from intact.errors import DocumentError
from intact.formats.base import Loaded, Record
from intact.formats.jsonl import TabFormat
from intact.formats.mentions import (
    OTHERS_MASK,
    UNKNOWN,
    check_types,
    choose_layer,
    read_layer,
)

TEXT = "Ann Lee met Bo in Riga."


def raw(start, end, kind="LOC", **more):
    return {"start_offset": start, "end_offset": end, "entity_type": kind, **more}


def test_names_ids_and_entities_that_are_not_given_are_made():
    tab = raw(0, 7, "PERSON", entity_mention_id="m", span_text="Ann Lee", identifier_type="DIRECT")
    short = {"start": 0, "end": 7, "type": "PERSON", "id": "m", "identifier_type": "DIRECT"}
    assert read_layer([tab], TEXT, "f") == read_layer([short], TEXT, "f")
    text = "Riga, riga, Oslo"
    first, second, third = read_layer([raw(0, 4), raw(6, 10), raw(12, 16)], text, "f")
    assert first.entity_id == second.entity_id != third.entity_id
    assert first.identifier_type is IdentifierType.QUASI
    mentions = read_layer([raw(0, 3, id="x"), raw(4, 7, id="x"), raw(8, 11)], TEXT, "f")
    assert [m.id for m in mentions] == ["x", "x#2", "mention3"]


@pytest.mark.parametrize(
    ("mention", "said"),
    [
        ("Ann", "is not an object"),
        ({}, "start offset is missing"),
        ({"start": 1, "end": "3", "type": "LOC"}, "end offset is missing or not a whole number"),
        (raw(True, 3), "start offset"),
        (raw(1.0, 3), "start offset"),
        (raw(-1, 3), r"offsets \[-1, 3\) lie outside the text of 23 characters"),
        (raw(0, 24), "lie outside"),
        (raw(5, 5), "empty"),
        (raw(6, 2), "wrong way round"),
        (raw(0, 3, span_text="Ana"), "is not its span_text"),
        (raw(0, 3, None), "no entity type"),
        (raw(0, 3, " "), "no entity type"),
        (raw(0, 3, 5), "no entity type"),
        (raw(0, 3, identifier_type="MAYBE"), "identifier type is unknown"),
        (raw(0, 3, identifier_type=3), "identifier type is unknown"),
    ],
)
def test_a_bad_mention_is_named(mention, said):
    with pytest.raises(DocumentError, match=said) as caught:
        read_layer([raw(8, 11), mention], TEXT, "f, document 2")
    assert "f, document 2, mention 2" in str(caught.value)
    assert "Ann" not in str(caught.value)


@pytest.mark.parametrize(
    ("own", "said"),
    [("m7", " (m7)"), ("a1_em2", " (a1_em2)"), (8, " (8)")]
    + [(own, "") for own in ("Ann Lee0", "Riga0", "nurse0", "3 May0", "61807", "", None)],
)
def test_a_bad_mention_is_named_by_its_id_unless_that_may_be_made_of_the_text(own, said):
    with pytest.raises(DocumentError) as caught:
        read_layer([raw(8, 11), raw(5, 5, id=own)], TEXT, "f")
    assert caught.value.where == f"f, mention 2{said}"


def test_all_bad_mentions_of_an_annotator_are_told_up_to_ten():
    wrong = [raw(n, n, id=f"m{n}") for n in range(1, 13)]
    with pytest.raises(DocumentError) as caught:
        read_layer([raw(0, 3), raw(0, 3, None), *wrong], TEXT, "f")
    told = str(caught.value)
    assert told.startswith("f, mention 2: it has no entity type, mention 3 (m1): offsets [1, 1)")
    assert "mention 11 (m9): offsets [9, 9) are empty or the wrong way round and 3 more." in told
    assert told.endswith('Give "entity_type". A mention covers at least one character.')


@pytest.mark.parametrize(
    ("before", "shift", "said"),
    [
        ("", 0, ""),
        ("", 1, "3 of 3 mentions without span_text, the first at 1, begin or end inside a word"),
        ("", 1, "counted in bytes or from 1"),
        ("\u00e9 ", 1, "counted in bytes or from 1"),
        ("\U0001f642 ", 1, "counted in UTF-16 units"),
    ],
)
def test_offsets_that_nothing_checks_and_most_of_which_cut_words_are_an_error(before, shift, said):
    text, more = before + TEXT, len(before) + shift
    raws = [raw(start + more, end + more) for start, end in ((0, 7), (12, 14), (18, 22))]
    shown = [one | {"span_text": text[one["start_offset"] : one["end_offset"]]} for one in raws]
    told = []
    assert len(read_layer(shown, text, "f", told.append)) == 3 and not told
    if not said:
        assert len(read_layer(raws, text, "f", told.append)) == 3 and not told
        return
    with pytest.raises(DocumentError) as caught:
        read_layer(raws, text, "f")
    assert said in str(caught.value) and "Give span_text, which checks them." in str(caught.value)


@pytest.mark.parametrize(
    ("text", "marked", "cuts"),
    [
        ("Ann Lee left.", "Ann", False),
        ("Ann Lee left.", "Ann L", True),
        ("Ann Lee left.", "nn Lee", True),
        ("Ann Lee left.", "Ann ", True),
        ("Ann Lee left.", " Lee", True),
        ("Ann Lee's, it is.", "Ann Lee", False),
        ("It has 45kg.", "45", False),
        ("It has 4500 g.", "45", True),
        ("\u90ed\u5c0f\u66fc", "\u5c0f", False),
    ],
)
def test_few_offsets_that_cut_words_are_a_warning(text, marked, cuts):
    at, told = text.index(marked), []
    read_layer([raw(at, at + len(marked))], text, "f", told.append)
    said = f"1 of 1 mentions without span_text, the first at {at}, begin"
    assert [one.startswith(said) for one in told] == [True] * cuts


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ()),
        ({"entity_id": "e1"}, ("1 of another type than their entity_id has before",)),
        ({"start_offset": 0, "end_offset": 7}, ("1 of another type than one at the same place",)),
        ({"start_offset": 4, "end_offset": 11}, ("1 overlapping another in part",)),
        ({"start_offset": 0, "end_offset": 3}, ()),  # inside another
        ({"id": "m1"}, ("1 with an id that another has",)),
        ({"identifier_type": None}, ("1 without an identifier_type, which others have",)),
        (
            {"entity_id": "e1", "id": "m1"},
            ("1 of another type than their entity_id", "1 with an id"),
        ),
    ],
)
def test_mentions_that_contradict_others_are_one_warning(changes, said):
    first = raw(0, 7, "PERSON", id="m1", entity_id="e1", identifier_type="DIRECT")
    other = raw(18, 22, id="m2", entity_id="e2", identifier_type="QUASI") | changes
    shown = [
        one | {"span_text": TEXT[one["start_offset"] : one["end_offset"]]} for one in (first, other)
    ]
    told = []
    read_layer(shown, TEXT, "f", told.append)
    assert len(told) == bool(said) and all(one in told[0] for one in said)
    assert not said or told[0].endswith(f", at {other['start_offset']}")


def test_of_many_contradictions_the_first_places_are_told():
    raws = [raw(n, n + 1, id="m1", span_text=TEXT[n]) for n in (0, 1, 2, 4, 5, 6)]
    told = []
    read_layer(raws, TEXT, "f", told.append)
    said = "look at its mentions: 5 with an id that another has, at 1, 2, 4 and 2 more"
    assert told == [said]


def test_an_annotator_who_is_not_taken_is_not_warned_of():
    one, two = {"entity_mentions": [raw(0, 7)]}, {"entity_mentions": [raw(8, 10)]}
    record = Record({"doc_id": "d", "text": TEXT, "annotations": {"one": one, "two": two}}, "f")
    counts = {"first": 0, "two": 1, "all": 1}
    for annotator, count in counts.items():
        warnings = TabFormat().load(record, annotator).warnings
        assert sum("without span_text" in said for said in warnings) == count


def test_an_identifier_type_may_be_in_small_letters_and_is_quasi_where_it_is_missing():
    kinds = [{"identifier_type": "direct"}, {"identifier_type": "No_Mask"}, {}]
    found = [one.identifier_type for one in read_layer([raw(0, 3) | k for k in kinds], TEXT, "f")]
    assert found == ["DIRECT", "NO_MASK", "QUASI"]


def test_unknown_types_are_told_and_names_that_are_none_of_a_type_an_error():
    def loaded(*kinds):
        mentions = read_layer([raw(0, 3, kind) for kind in kinds], TEXT, "f")
        own = {("eva", at): mention.id for at, mention in enumerate(mentions)}
        return Loaded(Document("d", TEXT, mentions), own)

    assert check_types(loaded("MISC", "GPE"), "f").warnings == ()
    told = check_types(loaded("MISC", "SHIP", "MEMBER_NUMBER", "SHIP"), "f").warnings
    assert told == (f"{UNKNOWN}: MEMBER_NUMBER, SHIP",)
    for kind in ("ship", "Ann Lee", "SHIP\n", "SHIP 1", "MBR204", "S", "S" * 41):
        with pytest.raises(DocumentError, match="mention at 0: its type is unknown") as told:
            check_types(loaded("MISC", kind), "f")
        assert kind not in str(told.value).replace("SHIP", "") or kind == "S"


@pytest.fixture
def layers():
    one = [
        raw(0, 7, "PERSON", id="a", entity_id="e1"),
        raw(18, 22, "LOC", id="b", entity_id="e2", identifier_type="NO_MASK"),
    ]
    two = [
        raw(18, 22, "LOC", id="a", entity_id="e1", identifier_type="QUASI"),
        raw(0, 3, "PERSON", id="b", entity_id="e2"),
        raw(0, 7, "PERSON", id="c", entity_id="e2"),
    ]
    return {"one": read_layer(one, TEXT, "f"), "two": read_layer(two, TEXT, "f")}


def test_a_layer_is_chosen_by_name(layers):
    assert choose_layer(layers, "first", TEXT, "f", {})[0] == layers["one"]
    mentions, links, _ = choose_layer(layers, "two", TEXT, "f", {})
    assert mentions == layers["two"]
    assert links == {("two", 0): "a", ("two", 1): "b", ("two", 2): "c"}
    with pytest.raises(DocumentError, match=r"no such annotator.*It has 2 others"):
        choose_layer(layers, "three", TEXT, "f", {})
    with pytest.raises(DocumentError, match="no annotations"):
        choose_layer({}, "first", TEXT, "f", {})


def test_what_other_annotators_mask_is_told_and_who_marked_nothing_is_not_the_first(layers):
    said = {name: choose_layer(layers, name, TEXT, "f", {})[2] for name in ("first", "all", "one")}
    assert said == {"first": (OTHERS_MASK,), "all": (), "one": ()}  # Riga, which the first leaves
    agreed = {**layers, "two": layers["two"][1:]}
    assert choose_layer(agreed, "first", TEXT, "f", {})[2] == ()
    assert choose_layer({"none": (), **layers}, "first", TEXT, "f", {})[0] == layers["one"]
    assert choose_layer({"none": ()}, "first", TEXT, "f", {})[0] == ()


def test_the_union_merges_equal_spans_and_protects_most(layers):
    mentions, links, _ = choose_layer(layers, "all", TEXT, "f", {})
    assert [m.span for m in mentions] == [Span(0, 3), Span(0, 7), Span(18, 22)]
    assert mentions[2].identifier_type is IdentifierType.QUASI
    assert mentions[0].entity_id == mentions[1].entity_id == "one:e1"
    assert links["one", 0] == links["two", 2] == "one:a"
    assert links["one", 1] == links["two", 0] == "one:b"
    assert set(links.values()) == {m.id for m in mentions}


def test_ids_that_are_made_up_hold_no_text():
    raws = [
        {"start": 0, "end": 3, "type": "PERSON"},
        {"start": 4, "end": 7, "type": "PERSON"},
        {"start": 8, "end": 11, "type": "PERSON"},
        {"start": 0, "end": 3, "type": "LOC", "entity_id": "thing1"},
    ]
    found = read_layer(raws, "Ann Lee ann", "here")
    assert [mention.entity_id for mention in found] == ["thing2", "thing3", "thing2", "thing1"]
