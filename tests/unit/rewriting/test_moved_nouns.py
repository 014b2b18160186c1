"""Nouns that a span stands before: one line a case, the span in double angle brackets."""

import re

import pytest

from intact.domain import Document, Mention, Span
from intact.rewriting.occurrences import occurrences
from intact.rewriting.rewrite import Phrase, Rewriter

MARK = re.compile(r"<<(?P<kind>\w+):(?P<text>.*?)>>")


def sanitised(marked, phrase):
    match = MARK.search(marked)
    text = marked[: match.start()] + match["text"] + marked[match.end() :]
    span = Span(match.start(), match.start() + len(match["text"]))
    mention = Mention("m", span, match["text"], "e", match["kind"])
    doc = Document("d", text, (mention,))
    return Rewriter(doc, occurrences(doc)).render({"e": Phrase(phrase, "knowledge")}).text


@pytest.mark.parametrize(
    ("marked", "phrase", "expected"),
    [
        ("under the <<DEM:Manx>> Criminal Code, he", "a certain country",
         "under the Criminal Code of a certain country, he"),
        ("The <<DEM:Manx>> Government replied", "a certain country",
         "The Government of a certain country replied"),
        ("under the former <<DEM:Manx>> Criminal Code.", "a certain country",
         "under the former Criminal Code of a certain country."),
        ("She breeds <<MISC:Wexo>> dogs.", "an Italian breed",
         "She breeds dogs of an Italian breed."),
        ("He sold <<MISC:Wexo>> cars and left", "an old make",
         "He sold cars of an old make and left"),
        ("The <<MISC:Wexo>> dogs.", "an old breed", "The dogs of an old breed."),
        ("He was MP for <<LOC:Bray>> constituency then.", "a city in Asia",
         "He was MP for the constituency of a city in Asia then."),
        ("a letter dated <<DATETIME:2 May 1992>>, and", "the early 1990s",
         "a letter dated in the early 1990s, and"),
        ("wrote on the <<MISC:Ownership of Land>>.", "certain matters",
         "wrote on certain matters."),
        ("a cousin in <<LOC:Paris>>, Texas and", "a town in Texas",
         "a cousin in a town in Texas and"),
        ("The <<DEM:night>> guard left", "certain", "The guard left"),
        ("the <<DEM:young>> one there", "certain", "the one there"),
        ("one of them a <<DEM:coeliac>>.", "with a diet", "one of them a person with a diet."),
        ("no, you're <<DEM:pregnant>> sit down", "in a state", "no, you're in a state sit down"),
        ("has a <<DEM:new>> hip and", "certain", "has a hip and"),
        ("is an <<DEM:angry>> man.", "certain", "is a man."),
        ("he said it's <<DEM:dermatitis>>, wear", "a skin condition",
         "he said it's a skin condition, wear"),
        ("and i'm <<DEM:diabetic>>.", "with a health condition", "and I have a health condition."),
        ("born in <<LOC:Bray>>, Wales.", "a town in England", "born in a town in England, Wales."),
    ],
)  # fmt: skip
def test_nouns_around_a_span(marked, phrase, expected):
    assert sanitised(marked, phrase) == expected


@pytest.mark.parametrize(
    ("text", "phrases", "expected", "places"),
    [
        ("He went to the <<LOC:Oslo>> <<ORG:City Court>> on Friday.",
         ("a city in Europe", "a criminal court"),
         "He went to a criminal court in a city in Europe on Friday.",
         ("a city in Europe", "criminal court")),
        ("made by the <<DEM:Danish>> company <<ORG:Poe A/S>>, he said",
         ("the respondent country", "a television company"),
         "made by a television company of the respondent country, he said",
         ("the respondent country", "television company")),
        ("The tenancy officer, <<LOC:Oslo>>\n<<ORG:City Court>> - case",
         ("a city in Europe", "a criminal court"),
         "The tenancy officer, a city in Europe\na criminal court - case",
         ("a city in Europe", "a criminal court")),
        ("A <<DEM:Danish>> company <<ORG:Poe A/S>> sued.", ("European", "a television company"),
         "A European television company sued.", ("European", "television company")),
    ],
)  # fmt: skip
def test_neighbours_are_composed_and_each_is_found(text, phrases, expected, places):
    mentions = []
    while match := MARK.search(text):
        text = text[: match.start()] + match["text"] + text[match.end() :]
        span = Span(match.start(), match.start() + len(match["text"]))
        key = f"e{len(mentions)}"
        mentions.append(Mention(key, span, match["text"], key, match["kind"]))
    doc = Document("d", text, tuple(mentions))
    said = {f"e{at}": Phrase(each, "knowledge") for at, each in enumerate(phrases)}
    rendered = Rewriter(doc, occurrences(doc)).render(said)
    assert rendered.text == expected
    assert tuple(rendered.targets[key][0].of(rendered.text) for key in said) == places
