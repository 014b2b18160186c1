"""The guard on a small made-up population."""

import json
from random import Random

import numpy as np
import pytest

from intact.config import load_settings
from intact.domain import Document, IdentifierType, Mention, Span
from intact.errors import ConfigError, InputError
from intact.pipeline import build_pipeline
from intact.reidentification.attackers import LINEAR, LinkageScores, others_ahead, reidentifiers
from intact.reidentification.population import Featurizer, Population, folded_words
from intact.verification.units import long_words, single_words

TRADES = ("weaver", "cooper", "glazier", "tanner", "miller", "potter", "tailor", "saddler")
HABITS = ("chess", "rowing", "opera", "fencing", "archery", "gliding", "sailing", "judo")
PUBLIC = {
    f"p{at}": f"A {trade} known for {habit} and for many letters to the council about noise."
    for at, (trade, habit) in enumerate(zip(TRADES, HABITS, strict=True))
}
TEXT = (
    "Ola Nordmann worked as a glazier in Bergen. Everybody knew of his love of opera. "
    "The glazier sang opera at work. He wrote letters to the council about noise."
)


def document(text=TEXT, doc_id="p2"):
    wanted = [("Ola Nordmann", "PERSON"), ("Bergen", "LOC"), ("Trondheim", "LOC")]
    mentions = []
    for name, kind in wanted:
        if name in text:
            start = text.index(name)
            span = Span(start, start + len(name))
            mentions.append(Mention(name, span, name, name, kind, IdentifierType.QUASI))
    return Document(doc_id, text, tuple(mentions))


@pytest.fixture(scope="module")
def pop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guard") / "pop"
    folder.write_bytes(Population.of(PUBLIC.items()).to_bytes())
    return folder


def guarded(pop, *overrides, of=None):
    settings = load_settings(
        None, [f"guard.background={json.dumps(str(pop))}", "guard.k=3", *overrides]
    )
    return build_pipeline(settings).sanitize(of or document())


def test_what_a_glossary_keeps_in_clear_is_not_changed(pop, tmp_path):
    facts = tmp_path / "facts.csv"
    facts.write_text("surface,phrase\nopera,opera\n", "utf-8")
    own = f"generation.glossary={json.dumps(str(facts))}"
    assert "opera" not in guarded(pop, "guard.max_words=0.9").text
    assert guarded(pop, "guard.max_words=0.9", own).text.count("opera") == 2


def test_the_individual_is_hidden_and_who_was_raised_is_told(pop):
    done = guarded(pop, "guard.max_words=0.9")
    told = done.guarding
    assert done.protected
    assert min(told.before.values()) == 1
    assert min(told.after.values()) > 3
    assert told.reached >= 3
    assert "opera" not in done.text
    assert "glazier" not in done.text
    assert "PERSON_1" in done.text
    plain = {
        one.entity.id: one.chosen
        for one in build_pipeline(load_settings()).sanitize(document()).decisions
    }
    assert set(told.raised) == {
        one.entity.id for one in done.decisions if one.chosen != plain[one.entity.id]
    }
    assert told.raised
    assert 0 < told.words_changed <= told.words


def test_what_cannot_be_protected_is_said_and_what_is_not_threatened_stays(pop):
    done = guarded(pop, "guard.max_words=0")
    assert not done.protected
    assert any("not protected" in note for note in done.notes)
    assert done.guarding is not None
    assert done.guarding.words_changed == 0
    quiet = document("Ola Nordmann was seen in Trondheim.")
    done = guarded(pop, of=quiet)
    plain = build_pipeline(load_settings()).sanitize(quiet)
    assert done.protected
    assert done.text == plain.text
    assert plain.guarding is None


def test_absent_and_public_individuals(pop):
    stranger = document(doc_id="q7")
    with pytest.raises(InputError, match="lacks the individual q7"):
        guarded(pop, of=stranger)
    done = guarded(pop, "guard.absent=ok", of=stranger)
    assert any("not guarded" in note for note in done.notes)
    assert guarded(pop, "guard.protect=p2", of=stranger).guarding is not None
    known = document(PUBLIC["p2"])
    done = guarded(pop, of=known)
    assert not done.protected
    assert any("is the document itself" in note for note in done.notes)


def test_a_map_of_individuals(pop, tmp_path):
    path = tmp_path / "owners.json"
    path.write_text('{"q7": "p2"}')
    done = guarded(pop, f"guard.protect={json.dumps(str(path))}", of=document(doc_id="q7"))
    assert done.guarding is not None
    assert done.guarding.individual == "p2"
    path.write_text("[]")
    with pytest.raises(ConfigError, match="no map of documents"):
        guarded(pop, f"guard.protect={json.dumps(str(path))}")


def test_scores_by_difference_are_exact(pop):
    population = Population.load(pop)
    attackers = reidentifiers(population, LINEAR)
    featurizer = Featurizer()
    words = folded_words(TEXT)
    scores = LinkageScores(attackers, 2, 3, featurizer, featurizer.ids(words))
    random = Random(7)
    for _ in range(6):
        words = [word for word in words if random.random() < 0.8]
        scores.move(featurizer.ids(words))
        fresh = LinkageScores(attackers, 2, 3, featurizer, featurizer.ids(words))
        assert scores.ranks() == fresh.ranks()
        assert np.allclose(scores.excess(0.5), fresh.excess(0.5))
        for attacker, rank in zip(attackers, scores.ranks().values(), strict=True):
            assert rank == others_ahead(attacker.scores([" ".join(words)])[0], 2) + 1, attacker.name


def test_unmarked_words():
    text = "In 1984 the Grand Chamber heard Mr O'Poe's case. The cases' end came on 3 May 1996."
    gaps = [(0, len(text))]
    assert [(words.kind, words.key) for words in long_words(text, gaps)] == [
        ("date", "1984"),
        ("date", "3 may 1996"),
        ("name", "grand chamber"),
        ("name", "mr o poe"),
    ]
    found, content = single_words(text, gaps)
    words = {each.key: each for each in found}
    assert len(words["case"].spans) == 2
    assert "mr" not in words
    assert words["o poe"].kind == "name"
    assert content == len([*words["case"].spans]) + len(words) - 1 + len(["mr"])
