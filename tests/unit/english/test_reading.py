"""Each question about the words around a place has one answer, read once."""

import pytest

from intact.domain import Document, Span
from intact.english.reading import AROUND, Place, ReadDocument


@pytest.mark.parametrize(
    ("place", "holds", "fails"),
    [
        (Place("was a ", "curious", " and funny girl"), "articled", "noun_follows"),
        (Place("a ", "Russian", "-speaking man"), "noun_follows determiner", "noun_ends owner"),
        (Place("taught ", "French", " at school."), "spoken", "noun_follows"),
        (Place("Languages: Thai (native), ", "Dutch", " (basic)"), "spoken", "noun_follows"),
        (Place("At home ", "Tamil", " is spoken."), "spoken", "noun_follows"),
        (Place("read to her in ", "Polish", "."), "spoken", "determiner"),
        (Place("learned that he was ", "Danish", "."), "noun_ends", "spoken"),
        (Place("She speaks to the ", "Danish", " doctor"), "noun_follows", "spoken"),
        (Place("on the ", "M6", " near Stafford"), "articled", "noun_follows needless"),
        (Place("She is ", "there", " again"), "", "noun_follows"),
        (Place("Bo, a ", "nurse", ", left"), "determined noun_ends", "noun_follows"),
        (Place("his legal ", "aid", "."), "determined owned owner", "articled"),
        (Place("She’s ", "Swiss", "."), "noun_ends", "owner determined articled"),
        (Place("She ", "lost", " his work"), "subject object_follows", "negated"),
        (Place("did not ", "win", " it"), "negated asks_plain_verb", "subject"),
        (Place("Notes\n[", "09:02", "] Ann: hello"), "heads_line", "governed"),
        (Place("", "09:02", ", in the canteen, he"), "opens_sentence", "heads_line"),
        (Place("born in ", "Bergen", " in 1990"), "governed noun_ends", "negated heads_line"),
    ],
)
def test_a_place_says_what_its_sentence_asks_for(place, holds, fails):
    assert [name for name in holds.split() if not getattr(place, name)] == []
    assert [name for name in fails.split() if getattr(place, name)] == []


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("It was not paid to ", ("was", "not", "paid", "to")),
        ("He is NO ", ("is", "no")),
        ("She didn’t see the old ", ("she", "didn’t", "see", "the", "old")),
        ("never\nwithout ", ("never", "without")),  # the nearest
        ("not ill, ", ()),
        ("not he but ", ()),  # of another clause
        ("not one of those that ", ()),
        ("cannot be said to be any ", ()),  # too far
        ("a knot of ", ()),
    ],
)
def test_a_negation_before_a_place_is_read_with_what_stands_between(before, words):
    assert Place(before, "widowers").negation == words


@pytest.mark.parametrize(
    ("place", "sides"),
    [
        (Place("the fees (", "K18,400", ") are due"), (2, 1)),
        (Place("She is 56, married, ", "two grown sons", ", and works"), (2, 0)),
        (Place("a girl, ", "1.9 kg", ". The mother"), (2, 0)),
        (Place("Your mother, ", "a Lithuanian speaker", ", was asked"), None),
        (Place("Ann, 81, ", "a fitter", ", said"), None),  # which comma goes?
        (Place("She married, ", "bore nine", ", buried four."), None),  # says it of her
        (Place("Neighbours clapped; one, ", "sat in the first row", "."), None),
        (Place("tea, ", "rooibos", " or milk"), None),
        (Place("tea, ", "rooibos", ", or milk"), None),  # one of them: with fewer it may be false
        (Place("He is ", "a fitter", ", she said"), None),
    ],
)
def test_an_aside_goes_with_its_bracket_or_comma(place, sides):
    assert place.aside == sides


@pytest.mark.parametrize(
    ("place", "cut"),
    [
        (Place("Lynn drowned off the ", "Esplanade", "; Sam found"), " off the "),
        (Place("and was posted to ", "Hakkari", " in June."), " to "),
        (Place("It notes that the flat at ", "Rye 6", " had been"), " at "),
        (Place("Const. Roe rang ", "Monday", " to say"), " "),
        (Place(" at ", "Rye", ". He said"), " at "),  # behind another slot
        (Place("in the village of ", "Elm", "; he"), " of "),
        (Place("Then he fell off a ladder and ", "broke his ankle", ". He"), " and "),
        (Place("cups, plates and ", "spoons", ". He"), ""),  # of three
        (Place("He lives in ", "Mersin", "; he"), ""),
        (Place("he was a man from ", "Elm", ", we"), ""),
        (Place("still devoted to ", "Hakkari", " in June."), ""),
        (Place("I know ", "Friday", " was a lot"), ""),
        (Place("work from July with ", "Gold", ", whose owner"), ""),
        (Place("stakes from the ", "stump", " to the road"), ""),
        (Place("She’s for ", "a hip", " in"), ""),
        (Place("He sang with ", "a bun", "; he"), " with "),
        (Place("a notebook with ", "a squid", " on its cover"), ""),
    ],
)
def test_an_adjunct_goes_with_its_preposition_and_the_last_of_two_with_its_and(place, cut):
    assert place.adjunct == len(cut)


@pytest.mark.parametrize(
    ("before", "restricted"),
    [
        ("He never worked at ", True),
        ("the only woman on ", True),
        ("the oldest man in ", True),
        ("That is all. He worked at ", False),
    ],
)
def test_a_clause_that_denies_or_singles_out_needs_all_its_words(before, restricted):
    assert Place(before, "Rye", ".").restricted == restricted


def test_a_place_is_cut_out_of_its_document_once():
    text = "x" * 300 + " the nurse " + "y" * 300
    read, span = ReadDocument(Document("d", text, ())), Span(305, 310)
    place = read.place(span)
    assert read.place(span) is place
    assert (len(place.before), place.words, len(place.after)) == (AROUND, "nurse", AROUND)
    assert (place.determiner, place.owner) == ("the", "")


def _place(sentence):
    before, _, rest = sentence.partition("[")
    words, _, after = rest.partition("]")
    return Place(before, words, after)


@pytest.mark.parametrize(
    ("sentence", "noun", "alone"),
    [
        ("the film [Heat] was", "film", False),
        ("After her song “[Love Dies]” was", "song", True),
        ("novels such as Ubik (1969) and [Valis] (1981)", "novel", False),
        ("the series Go and [Up], among", "series", False),
        ("the film [festival] was", "", False),
        ("in the film he liked, and [Peter] saw", "", False),
    ],
)
def test_a_name_stands_behind_the_noun_that_says_what_it_is(sentence, noun, alone):
    work = _place(sentence).work
    assert (work.noun, work.alone) == (noun, alone) if noun else work is None


@pytest.mark.parametrize(
    ("sentence", "needless"),
    [
        ("before the [Swedish] court", True),
        ("is [a Manx] politician", True),
        ("lost the [2–1] match", False),
        ("in a [2–1] match at", True),
        ("the first [Swedish] court", False),
        ("was not a [Swedish] court", False),
        ("the [care home] told", False),
        ("my [partner moved out] in", False),
    ],
)
def test_an_adjective_is_needless_where_its_noun_stays_true(sentence, needless):
    assert _place(sentence).needless is needless
