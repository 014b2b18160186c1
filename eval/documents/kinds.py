"""Training the heads that say which kind of the tree each mention is of, and its slot.

    python eval/documents/kinds.py eval/documents/kinds.tsv -o kinds.safetensors

Labels are lines ``document <tab> start <tab> end <tab> kind <tab> slot``, by readers; the documents
are those of ``eval/documents``, and with ``--judgments`` a file in TAB's JSON. Names that the
ladders list are learned from besides, each in a sentence that says nothing, with less weight. The
shares that are printed come from documents that were held out, one part of three after the other.
Needs the packages of the extra ``evaluation``.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from corpus import documents
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch import Tensor, nn
from torch.nn import functional

from intact.detection.kinds import SLOTS, TYPES, digest_of, mention_features
from intact.detection.tagger import load_tagger
from intact.domain import Document, Span
from intact.english.grammar import without_article
from intact.english.reading import ReadDocument
from intact.knowledge.base import FILE, KnowledgeBase
from intact.knowledge.kinds import KindTree, Lexicon, kind_tree
from intact.knowledge.ladders import read_ladders

HOME = Path(__file__).resolve().parent
LADDERS = Path("intact/knowledge/ladders")
FOLDERS = ("training", "open", "second_look", "held_out", "first_look", "fourth_look")
PLAIN = ("It was about the {}.", "There was a {} there.", "She told us of her {}.", "{}")
_RANK, _EPOCHS, _BATCH, _RATE, _PARTS = 48, 14, 256, 3e-3, 3
_PLAIN_WEIGHT = 0.15
_UNITS = 64  # of the head of slots
NONE = "none"


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled mention: its document, type, text, what the knowledge base takes it for."""

    document: str
    entity_type: str
    text: str
    kind: str
    known: str
    weight: float = 1.0
    slot: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("labels", type=Path, nargs="+")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--judgments", type=Path, help="documents in TAB's JSON")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    tree = kind_tree()
    lexicon = Lexicon(sqlite3.connect(FILE), tree)
    labelled, seen, places = labelled_examples(options.labels, texts(options.judgments), lexicon)
    plain, plain_seen = listed_examples(tree, lexicon)
    table = Table(tree, lexicon, np.concatenate([seen, plain_seen]))
    every = (*labelled, *plain)
    shares = np.zeros((len(labelled), len(table.ids)), dtype=np.float32)
    names = sorted({one.document for one in labelled})
    random.Random(0).shuffle(names)
    for part in range(_PARTS):
        held = set(names[part::_PARTS])
        test = [at for at, one in enumerate(labelled) if one.document in held]
        learned = [at for at, one in enumerate(every) if one.document not in held]
        shares[test] = table.shares(table.fit(every, learned), every, test)
    temper = best_temper(shares, table, labelled)
    report(shares**temper, table, labelled)
    weights = table.weights(table.fit(every, range(len(every))), temper)
    weights |= slot_weights(places, labelled, [set(names[part::_PARTS]) for part in range(_PARTS)])
    save_file(weights, options.out)


def texts(judgments: Path | None) -> dict[str, dict[str, Any]]:
    """Return the annotated documents by name."""
    found = {
        f"{folder}/{one['doc_id']}": one
        for folder in FOLDERS
        for path in sorted((HOME / folder).glob("*.txt"))
        for one in documents(path)
    }
    if judgments is not None:
        found |= {f"tab/{one['doc_id']}": one for one in json.loads(judgments.read_text("utf-8"))}
    return found


def labelled_examples(
    paths: Sequence[Path], found: Mapping[str, dict[str, Any]], lexicon: Lexicon
) -> tuple[list[Example], NDArray[np.float32], NDArray[np.float32]]:
    """Return the labelled mentions and the features of what and where they are."""
    labels: dict[str, dict[tuple[int, int], tuple[str, str]]] = {}
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            name, first, last, *told = line.split("\t")
            if name in found:
                labels.setdefault(name, {})[int(first), int(last)] = (told[0], told[1])
    base, tagger = KnowledgeBase.open(), load_tagger()
    examples: list[Example] = []
    seen = []
    for name, kinds in sorted(labels.items()):
        text = found[name]["text"]
        read = ReadDocument(Document(name, text, ()))
        mentions = next(iter(found[name]["annotations"].values()))["entity_mentions"]
        entity_types = {
            (one["start_offset"], one["end_offset"]): one["entity_type"] for one in mentions
        }
        asked = [text[start:end] for (start, end), named in entity_types.items() if named in TYPES]
        votes = base.votes([text, *asked])
        for (start, end), (labelled, slot) in kinds.items():
            entity_type = entity_types.get((start, end), "MISC")
            there = read.place(Span(start, end))
            link = base.link(there.words, entity_type, votes, there)
            rungs = base.chain(link) if link is not None else ()
            known = lexicon.kind_of(rung.text for rung in rungs)
            place = "nominal" if slot in ("noun", "phrase") else slot
            examples.append(
                Example(name, entity_type, text[start:end], labelled, known, slot=place)
            )
        seen.append(mention_features(tagger, text, [Span(*ends) for ends in kinds]))
    features, places = (np.concatenate(each) for each in zip(*seen, strict=True))
    return examples, features, places


def listed_examples(tree: KindTree, lexicon: Lexicon) -> tuple[list[Example], NDArray[np.float32]]:
    """Return names that the ladders list and the phrases of the tree, each in a plain sentence."""
    pairs = {(without_article(kind.name), kind.id) for kind in tree.values()}
    for path in sorted(LADDERS.glob("*.txt")):
        nodes = read_ladders([path])
        above = {node.concept: node for node in nodes}
        for node in nodes:
            kind = lexicon.kind_of(line_of(node.concept, above))
            if kind and not node.adjective:
                pairs |= {(name, kind) for name in node.names[:3]}
    draw = random.Random(0)
    tagger = load_tagger()
    examples, seen = [], []
    for name, kind in sorted(pairs):
        before, _, after = draw.choice(PLAIN).partition("{}")
        at = len(before)
        seen.append(mention_features(tagger, before + name + after, [Span(at, at + len(name))])[0])
        entity_type = next(one for one in tree[kind].types if one in TYPES)
        listed = name if draw.random() < 0.5 else ""  # half of them without their senses
        examples.append(Example("", entity_type, listed, kind, "", _PLAIN_WEIGHT))
    return examples, np.concatenate(seen)


def line_of(concept: str, above: Mapping[str, Any]) -> Iterator[str]:
    """The phrases of a node of a ladder and of those above it."""
    while concept in above:
        yield above[concept].phrase
        concept = above[concept].parent


class Model(nn.Module):
    """Scores kinds: by what the network saw, what the words can mean (believed as far as the
    sentence bears it out), and the type.

    Args:
        width: number of features.
        above: shape (kinds, kinds), 1 where the second is the first or above it.
    """

    def __init__(self, width: int, above: Tensor) -> None:
        super().__init__()
        self.above = above
        self.features = nn.Linear(width, _RANK)
        self.own = nn.Parameter(torch.randn(len(above), _RANK) * 0.05)
        self.bias = nn.Parameter(torch.zeros(len(TYPES), len(above)))
        self.lexicon = nn.Parameter(torch.tensor([1.0, 0.7, 0.2, 0.7]))
        self.trust = nn.Linear(width, len(self.lexicon))
        nn.init.zeros_(self.trust.weight)
        nn.init.zeros_(self.trust.bias)
        self.drop = nn.Dropout(0.5)

    def forward(self, seen: Tensor, senses: Tensor, types: Tensor) -> Tensor:
        """Return the scores of the kinds, shape (examples, kinds)."""
        seen = self.drop(seen)
        heard = self.features(seen) @ (self.above @ self.own).T
        believed = self.lexicon * 2 * torch.sigmoid(self.trust(seen))
        by_words = torch.einsum("eck,ec->ek", senses, believed)
        scores: Tensor = heard + (self.bias @ self.above.T)[types] + by_words
        return scores


class Table:
    """The kinds as numbers, the features of all examples, and what is learned from them.

    Args:
        tree: of kinds.
        lexicon: what words can mean.
        seen: features of all examples, shape (examples, features).
    """

    def __init__(self, tree: KindTree, lexicon: Lexicon, seen: NDArray[np.float32]) -> None:
        self.ids = [*tree, NONE]
        self.number = {kind: number for number, kind in enumerate(self.ids)}
        above = np.eye(len(self.ids), dtype=np.float32)
        for kind in tree.values():
            for other in tree.path(kind.id):
                above[self.number[kind.id], self.number[other.id]] = 1
        self.above, self.lexicon = above, lexicon
        self.shared = above @ above.T
        self.depth = above.sum(axis=1)
        self.mean, self.spread = seen.mean(axis=0), seen.std(axis=0) + 1e-3
        self.seen = torch.tensor((seen - self.mean) / self.spread)

    def senses(self, examples: Sequence[Example]) -> Tensor:
        """Return how much of what the words can mean lies on the way from each kind to its top."""
        found = np.zeros((len(examples), 4, len(self.ids)), dtype=np.float16)
        for row, one in enumerate(examples):
            known = {one.known: 1.0} if one.known else {}
            for channel, shares in enumerate((*self.lexicon.read(one.text), known)):
                for kind, share in shares.items():
                    found[row, channel] += np.float16(share) * self.shared[self.number[kind]]
        return torch.tensor(found)

    def fit(self, examples: Sequence[Example], rows: Sequence[int]) -> Model:
        """Learn from some of the examples."""
        chosen = [examples[at] for at in rows]
        model = Model(self.seen.shape[1], torch.tensor(self.above))
        targets = torch.tensor([self.number[one.kind] for one in chosen])
        weights = torch.tensor([one.weight for one in chosen])
        types = torch.tensor([TYPES.index(one.entity_type) for one in chosen])
        seen, senses = self.seen[list(rows)], self.senses(chosen)
        steps = _EPOCHS * -(-len(chosen) // _BATCH)
        optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps + 1)
        for _ in range(_EPOCHS):
            order = torch.randperm(len(chosen))
            for some in torch.split(order, _BATCH):
                scores = model(seen[some], senses[some].float(), types[some])
                each = functional.cross_entropy(
                    scores, targets[some], reduction="none", label_smoothing=0.02
                )
                small = model.own.pow(2).sum() + model.bias.pow(2).sum()
                loss = (each * weights[some]).mean() + 2e-4 * small
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                schedule.step()
        return model.eval()

    @torch.no_grad()
    def shares(
        self, model: Model, examples: Sequence[Example], rows: Sequence[int]
    ) -> NDArray[np.float32]:
        """Return the probability of each kind, shape (rows, kinds)."""
        chosen = [examples[at] for at in rows]
        types = torch.tensor([TYPES.index(one.entity_type) for one in chosen])
        found: NDArray[np.float32] = (
            model(self.seen[list(rows)], self.senses(chosen).float(), types).softmax(dim=1).numpy()
        )
        return found

    def weights(self, model: Model, temper: float) -> dict[str, Any]:
        """Return what ``intact.detection.kinds.KindHead`` reads, in half precision."""
        weights = {name: value.detach().numpy() for name, value in model.named_parameters()}
        shift = weights["features.bias"] @ (self.above @ weights["own"]).T
        stored = {
            "mean": self.mean,
            "spread": self.spread,
            "features": weights["features.weight"].T,
            "kinds": self.above @ weights["own"],
            "bias": weights["bias"] @ self.above.T + shift,
            "lexicon": weights["lexicon"],
            "trust": np.vstack([weights["trust.weight"].T, weights["trust.bias"]]),
            "temper": np.array([temper]),
        }
        packed: dict[str, Any] = {
            name: np.ascontiguousarray(value, np.float16) for name, value in stored.items()
        }
        packed["tree"] = np.frombuffer(digest_of(self.ids[:-1]), np.uint8)
        return packed


def slot_weights(
    seen: NDArray[np.float32], examples: Sequence[Example], parts: Sequence[set[str]]
) -> dict[str, Any]:
    """Return the weights of the head of slots, in half precision; print how often it is right in
    documents that were held out, one part after the other."""
    torch.manual_seed(0)
    mean, spread = seen.mean(axis=0), seen.std(axis=0) + 1e-3
    features = torch.tensor((seen - mean) / spread)
    targets = torch.tensor([SLOTS.index(one.slot) for one in examples])
    shares = torch.zeros(len(examples), len(SLOTS))
    for held in parts:
        test = torch.tensor([one.document in held for one in examples])
        shares[test] = fit_slots(features[~test], targets[~test])(features[test]).detach()
    most, likeliest = shares.softmax(dim=1).max(dim=1)
    for least in (0.0, 0.7, 0.8, 0.9):
        sure = most >= least
        right = (likeliest == targets)[sure].float().mean()
        print(f"slots, {least:g}: of {sure.float().mean():.2f}, right {right:.3f}")
    model = fit_slots(features, targets).state_dict()
    layers = {
        name: np.vstack([model[f"{at}.weight"].T, model[f"{at}.bias"]])
        for name, at in (("hidden", 1), ("slots", 4))
    }
    stored = {"place_mean": mean, "place_spread": spread, **layers}
    return {name: np.ascontiguousarray(each, np.float16) for name, each in stored.items()}


def fit_slots(features: Tensor, targets: Tensor) -> nn.Module:
    """Learn the slots of mentions from the features of where they stand."""
    width = features.shape[1]
    model = nn.Sequential(
        nn.Dropout(0.5),
        nn.Linear(width, _UNITS),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(_UNITS, len(SLOTS)),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    for _ in range(12):
        for some in torch.split(torch.randperm(len(targets)), 128):
            loss = functional.cross_entropy(
                model(features[some]), targets[some], label_smoothing=0.02
            )
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return model.eval()


def best_temper(shares: NDArray[np.float32], table: Table, examples: Sequence[Example]) -> float:
    """Return the power under which the labels are likeliest."""
    right = [table.number[one.kind] for one in examples]

    def surprise(power: float) -> float:
        powered = shares**power
        powered /= powered.sum(axis=1, keepdims=True)
        return float(-np.log(powered[np.arange(len(right)), right] + 1e-9).mean())

    return float(min(np.arange(0.3, 1.5, 0.05), key=surprise))


def report(shares: NDArray[np.float32], table: Table, examples: Sequence[Example]) -> None:
    """Print how deep the deepest kind is that has some probability, and how often it is right."""
    sums = shares / shares.sum(axis=1, keepdims=True) @ table.above
    right = np.array([table.number[one.kind] for one in examples])
    print(f"{len(examples)} labels; likeliest right {(shares.argmax(axis=1) == right).mean():.3f}")
    for least in (0.5, 0.7, 0.8, 0.9, 0.95, 0.97):
        deep = np.where(sums >= least, table.depth, -1)
        deep[:, -1] = -1
        picked, said = deep.argmax(axis=1), deep.max(axis=1) > 0
        true = table.above[right, picked] > 0
        print(
            f"{least:g}: says something of {said.mean():.2f}, at depth "
            f"{table.depth[picked][said].mean():.2f} of {table.depth[right].mean():.2f}, "
            f"right {true[said].mean():.3f}"
        )


if __name__ == "__main__":
    main()
