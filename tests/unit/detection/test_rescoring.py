"""The second opinion on what was found."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from intact.detection.detector import DocumentDetector
from intact.detection.findings import OF_KIND, Finding
from intact.detection.rescoring import Rescorer, load_rescorer
from intact.detection.tagger import load_tagger
from intact.domain import Mention, Span
from intact.errors import ModelError
from intact.protocols import Detected
from intact.shipped import RESCORER

TEXT = "Plan: FBC, U&E. Panacur 20 mg/kg for 28 days. Seen by Dr Anna Lee of Gdynia."


def find(words, kind="other", score=0.6, source="knowledge"):
    span = Span(start := TEXT.index(words), start + len(words))
    return Detected(Mention("m1", span, words, "e1", "MISC"), kind, score, (source,))


def test_people_and_their_places_are_likelier_than_products_and_doses():
    found = [
        find("Anna Lee", "person", 0.97),
        find("Gdynia", "place", 0.85),
        find("Panacur"),
        find("20 mg/kg", "quantity", 0.85, "patterns"),
    ]
    scores = load_rescorer(0.4).rescore(TEXT, found)
    assert scores.shape == (4,) and ((scores >= 0) & (scores <= 1)).all()
    assert min(scores[:2]) > 0.8 and max(scores[2:]) < 0.4


def test_weights_are_told_apart_by_the_names_of_their_kinds():
    weights = load_file(RESCORER)
    named = bytes(weights["kinds"]).decode().split("\n")
    assert set(named) <= set(OF_KIND)  # a kind that was renamed would have lost its weight
    found = [find("Anna Lee", "person", 0.97), find("Panacur"), find("Gdynia", "vehicle")]
    scores = Rescorer(load_tagger(), weights, 0.4).rescore(TEXT, found)
    kinds = slice(len(weights["find"]) - len(named), None)
    turned = np.frombuffer("\n".join(named[::-1]).encode(), dtype=np.uint8)
    own = {**weights, "find": weights["find"].copy(), "kinds": turned}
    own["find"][kinds] = own["find"][kinds][::-1]
    assert Rescorer(load_tagger(), own, 0.4).rescore(TEXT, found) == pytest.approx(scores)
    own["find"][kinds] = 0.0
    assert Rescorer(load_tagger(), own, 0.4).rescore(TEXT, found)[2] == pytest.approx(scores[2])


def test_weights_that_are_not_one_a_kind_are_refused():
    weights = load_file(RESCORER) | {"kinds": np.zeros(32, dtype=np.uint8)}
    with pytest.raises(ModelError, match="not one for each kind"):
        Rescorer(load_tagger(), weights, 0.4)


class Scripted:
    """Finds words by a rule and scores them by what stands before them."""

    name = "knowledge"
    threshold = 0.5

    def find(self, text):
        for words in ("Zorblax", "Quennoth"):
            starts = (at for at in range(len(text)) if text.startswith(words, at))
            for start in starts:
                yield Finding(Span(start, start + len(words)), "name", 0.9, self.name)

    def rescore(self, text, found):
        says = [text[: one.mention.span.start].endswith("met ") for one in found]
        return np.array(says, dtype=np.float32)


def test_what_is_likely_in_one_sentence_is_found_in_all_and_the_rest_is_a_doubt():
    text = "Zorblax is here. Quennoth is here. We met Zorblax."
    detection = DocumentDetector([Scripted()], 0.5, Scripted()).detect(text)
    assert [one.text for one in detection.mentions] == ["Zorblax", "Zorblax"]
    assert len(DocumentDetector([Scripted()], 0.5).detect(text).mentions) == 3


class Abbreviations(Scripted):
    """Finds one word, and finds it rather likely."""

    def find(self, text):
        yield Finding(Span(0, text.index(" ")), "other", 0.9, self.name)

    def rescore(self, text, found):
        return np.full(len(found), 0.6, dtype=np.float32)


@pytest.mark.parametrize(
    ("text", "count"), [("MSU sent.", 0), ("MSU 7 sent.", 1), ("Msungu sent.", 1)]
)
def test_abbreviations_of_anything_must_be_likelier(text, count):
    assert (
        len(DocumentDetector([Abbreviations()], 0.5, Abbreviations()).detect(text).mentions)
        == count
    )


class Words(Scripted):
    """Finds one word as a characteristic, with the score of the text's last number."""

    def find(self, text):
        score = float(text.rpartition(" ")[2])
        yield Finding(Span(0, text.index(" ")), "characteristic", score, self.name)

    rescore = Abbreviations.rescore


@pytest.mark.parametrize(
    ("text", "count"), [("took it 0.55", 0), ("widow it 0.9", 1), ("Took it 0.55", 1)]
)
def test_a_small_word_of_which_its_finder_is_unsure_must_be_likelier(text, count):
    assert len(DocumentDetector([Words()], 0.5, Words()).detect(text).mentions) == count


class Clocks(Scripted):
    """Finds the clock times of a text."""

    def find(self, text):
        for start in (at for at in range(len(text)) if text[at:].startswith("11:0")):
            yield Finding(Span(start, start + 5), "time", 0.9, self.name)


@pytest.mark.parametrize(
    ("text", "count"), [("met 11:01 11:02 met 11:03", 3), ("11:01 met 11:02 11:03", 0)]
)
def test_the_clock_times_of_a_log_are_found_or_left_together(text, count):
    assert len(DocumentDetector([Clocks()], 0.5, Clocks()).detect(text).mentions) == count
