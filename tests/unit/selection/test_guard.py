"""The guard on a small made-up population."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from intact.build import build_pipeline
from intact.config import load_settings
from intact.domain import Document, IdentifierType, Mention, SanitizedDocument, Span
from intact.errors import ConfigError, InputError
from intact.reidentification.building import Individual, build
from intact.reidentification.features import Featurizer, tokens
from intact.reidentification.linear import SCHEMES, LinearAttacker
from intact.selection.pressure import Pressure
from intact.selection.spots import find_spots

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


def document(text: str = TEXT, doc_id: str = "p2") -> Document:
    wanted = [("Ola Nordmann", "PERSON"), ("Bergen", "LOC")]
    mentions = []
    for name, kind in wanted:
        if name in text:
            start = text.index(name)
            span = Span(start, start + len(name))
            mentions.append(Mention(name, span, name, name, kind, IdentifierType.QUASI))
    return Document(doc_id, text, tuple(mentions))


@pytest.fixture(scope="module")
def pop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guard") / "pop"
    build((Individual(name, text) for name, text in PUBLIC.items()), folder)
    return folder


def guarded(pop: Path, *overrides: str, of: Document | None = None) -> SanitizedDocument:
    settings = load_settings(
        None, [f"guard.background={json.dumps(str(pop))}", "guard.k=3", *overrides]
    )
    return build_pipeline(settings).sanitize(of or document())


def test_the_individual_is_hidden_and_every_step_is_told(pop: Path) -> None:
    done = guarded(pop, "guard.max_words=0.9")
    told = done.guarding
    assert told is not None
    assert done.protected
    assert min(told.before.values()) == 1
    assert min(told.after.values()) > 3
    assert told.reached >= 3
    assert "opera" not in done.text
    assert "glazier" not in done.text
    assert "PERSON_1" in done.text
    assert told.steps[0].before == told.before
    for step, following in zip(told.steps, told.steps[1:], strict=False):
        assert step.after == following.before
    for step in told.steps:
        for span in step.spans:
            assert span.of(TEXT)
    assert 0 < told.words_changed <= told.words


def test_every_place_of_a_word_goes_the_same_way(pop: Path) -> None:
    done = guarded(pop, "guard.max_words=0.9")
    shown: dict[str, set[str]] = {}
    for replacement in done.replacements:
        if replacement.origin == "guard":
            word = replacement.span.of(TEXT).lower().removeprefix("the ").removeprefix("a ")
            shown.setdefault(word, set()).add(
                replacement.text.lower().removeprefix("the ").removeprefix("a ")
            )
    assert shown
    assert all(len(texts) == 1 for texts in shown.values())


def test_the_same_again(pop: Path) -> None:
    assert guarded(pop) == guarded(pop)
    random = ("guard.edit=mask", "guard.order=random", "guard.max_words=0.9")
    assert guarded(pop, *random) == guarded(pop, *random)


def test_masking_mode_only_masks(pop: Path) -> None:
    done = guarded(pop, "guard.edit=mask", "guard.max_words=0.9")
    assert done.protected
    assert {r.text.rsplit(" ", 1)[-1] for r in done.replacements if r.origin == "guard"} == {"***"}
    assert done.guarding is not None
    assert all(not step.entity_id for step in done.guarding.steps)


def test_kept_words_stay(pop: Path) -> None:
    done = guarded(pop, 'guard.keep=["opera"]', "guard.max_words=0.9")
    assert "opera" in done.text


def test_what_cannot_be_protected_is_said(pop: Path) -> None:
    done = guarded(pop, "guard.max_words=0")
    assert not done.protected
    assert any("not protected" in note for note in done.notes)
    assert done.guarding is not None
    assert done.guarding.words_changed == 0


def test_nothing_changes_where_nothing_leads_to_the_individual(pop: Path) -> None:
    quiet = document("Ola Nordmann was seen in Bergen.")
    done = guarded(pop, of=quiet)
    plain = build_pipeline(load_settings()).sanitize(quiet)
    assert done.protected
    assert done.text == plain.text
    assert plain.guarding is None


def test_absent_individuals(pop: Path) -> None:
    stranger = document(doc_id="q7")
    with pytest.raises(InputError, match="lacks the individual q7"):
        guarded(pop, of=stranger)
    done = guarded(pop, "guard.absent=ok", of=stranger)
    assert any("not guarded" in note for note in done.notes)
    assert guarded(pop, "guard.protect=p2", of=stranger).guarding is not None


def test_a_map_of_individuals(pop: Path, tmp_path: Path) -> None:
    path = tmp_path / "owners.json"
    path.write_text('{"q7": "p2"}')
    done = guarded(pop, f"guard.protect={json.dumps(str(path))}", of=document(doc_id="q7"))
    assert done.guarding is not None
    assert done.guarding.individual == "p2"
    path.write_text("[]")
    with pytest.raises(ConfigError, match="no map of documents"):
        guarded(pop, f"guard.protect={json.dumps(str(path))}")


def test_k_beyond_the_population(pop: Path) -> None:
    with pytest.raises(ConfigError, match="behind 8 others in a population of 8"):
        guarded(pop, "guard.k=8")


def test_a_document_that_is_public_already(pop: Path) -> None:
    known = document(PUBLIC["p2"])
    done = guarded(pop, of=known)
    assert not done.protected
    assert any("is the document itself" in note for note in done.notes)


def test_unknown_attackers(pop: Path) -> None:
    with pytest.raises(ConfigError, match="no attacker called 'psychic'"):
        guarded(pop, 'guard.ensemble=["psychic"]')


def test_attackers_that_are_not_linear_are_asked_at_the_end(pop: Path) -> None:
    done = guarded(pop, 'guard.ensemble=["words", "boolean"]', "guard.max_words=0.9")
    assert done.guarding is not None
    assert set(done.guarding.after) == {"words", "boolean"}


def test_scores_by_difference_are_exact(pop: Path) -> None:
    from intact.reidentification.index import Population

    population = Population(pop)
    attackers = [LinearAttacker(population, scheme) for scheme in SCHEMES.values()]
    maker = Featurizer()
    words = tokens(TEXT)
    pressure = Pressure(attackers, 2, 3, maker, maker.ids(words))
    random = Random(7)
    for _ in range(6):
        words = [word for word in words if random.random() < 0.8]
        pressure.move(maker.ids(words))
        fresh = Pressure(attackers, 2, 3, maker, maker.ids(words))
        assert pressure.ranks() == fresh.ranks()
        assert np.allclose(pressure.excess(0.5), fresh.excess(0.5))


def test_gains_point_at_what_gives_away(pop: Path) -> None:
    from intact.reidentification.index import Population

    attackers = [LinearAttacker(Population(pop), SCHEMES["words"])]
    maker = Featurizer()
    words = ["glazier", "noise", "opera", "walked"]
    pressure = Pressure(attackers, 2, 3, maker, maker.ids(words))
    gains = pressure.gains(np.arange(4), 4, pressure.excess(0.0))
    assert gains[0] > 0
    assert gains[2] > 0
    assert gains[1] < gains[0]
    assert gains[3] == 0


def test_spots() -> None:
    text = "In 1984 the Grand Chamber heard Mr Poe's neighbour. The neighbours sang on 3 May 1996."
    found = find_spots(Document("d", text, ()), [], keep={"sang"})
    assert [(spot.kind, spot.key) for spot in found.long] == [
        ("date", "1984"),
        ("date", "3 may 1996"),
        ("name", "grand chamber"),
        ("name", "mr poe"),
    ]
    words = {spot.key: spot for spot in found.words}
    assert len(words["neighbour"].spans) == 2
    assert "sang" not in words
    assert "mr" not in words
    assert words["poe"].kind == "name"


def test_the_year_of_a_law_goes_with_its_name() -> None:
    text = "Under the Ferry Act 1984 he paid in 1985."
    long = {spot.key for spot in find_spots(Document("d", text, ()), []).long}
    assert long == {"ferry act 1984", "1984", "1985"}


class _Greedy:
    """An attacker that holds by a word which tells nothing to others, and never lets go."""

    name, spaces, size = "greedy", ("word",), len(PUBLIC)

    def __init__(self) -> None:
        maker = Featurizer()
        wanted = maker.ids(["noise"])
        self._wanted = maker.of(wanted, self.spaces)["word"].features

    def weigh(self, space, features, amounts, onto) -> None:  # type: ignore[no-untyped-def]
        onto[2] += amounts @ self._held(features)

    def columns(self, space, features, lookup):  # type: ignore[no-untyped-def]
        found = np.zeros((len(features), int(lookup.max()) + 1), dtype=np.float32)
        found[:, lookup[2]] = self._held(features)
        return found

    def amounts(self, counts):  # type: ignore[no-untyped-def]
        return counts.astype(float)

    def _held(self, features):  # type: ignore[no-untyped-def]
        return 1.0 + 100.0 * np.isin(features, self._wanted)


def test_the_ensemble_comes_before_those_beside_it(
    pop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "intact.reidentification.windows.window_attackers", lambda population, names: [_Greedy()]
    )
    done = guarded(pop, "guard.max_words=4")
    assert done.protected
    assert done.guarding is not None
    assert done.guarding.words_changed <= 4
    assert set(done.guarding.after) == {"tfidf", "bm25"}
