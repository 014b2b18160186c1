"""Training a tagger on annotated documents.

A word's target is how its annotators tagged it, on average. Words inside mentions weigh more than
others, because a missed name costs more than a masked word. The encoder stays as it is: its states
are computed once, and only the linear layer learns.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from intact.detection.tagger import (
    TAGS,
    TYPES,
    About,
    Reached,
    Tagger,
    TagLayer,
    WordEncoder,
    Words,
    columns,
    masked_probability,
)
from intact.domain import Document, EntityType, IdentifierType, Mention
from intact.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

Progress = Callable[[str, int, int], None]
THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_RATE, _TABLE_RATE, _DROP = 1.5e-3, 3e-3, 0.2


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How a tagger is trained.

    Attributes:
        epochs: passes over the corpus.
        weight: of words inside mentions against others; more finds more and errs more.
        held_out: share of the documents kept apart to measure; then it is trained on all.
        seed: of all that is drawn.
    """

    epochs: int = 6
    weight: float = 16.0
    held_out: float = 0.2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TrainingText:
    """A text as its annotators saw it, ready to be learned from.

    Attributes:
        words: of the text.
        layers: the mentions that each annotator marked.
        states: the encoder's, shape (words, dimensions), in half precision.
        targets: share of the annotators for each tag, shape (words, tags).
    """

    words: Words
    layers: tuple[tuple[Mention, ...], ...]
    states: Tensor
    targets: NDArray[np.float32]


def prepare(
    documents: Sequence[Sequence[Document]],
    encoder: WordEncoder,
    progress: Progress = lambda what, done, total: None,
) -> list[TrainingText]:
    """Texts made ready to be learned from; those without words are left out.

    Args:
        documents: of each text one document for each annotator.
        encoder: of the tagger.
        progress: told what is done, how many of how many.
    """
    examples = []
    for number, seen in enumerate(documents):
        words = Words.of(seen[0].text)
        layers = tuple(document.mentions for document in seen)
        if len(words):
            states = encoder.states(words.strings).half()
            examples.append(TrainingText(words, layers, states, targets(words, layers)))
        progress("reading", number + 1, len(documents))
    return examples


def train(
    examples: Sequence[TrainingText],
    encoder: WordEncoder,
    plan: TrainingPlan | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Tagger:
    """A tagger that learned from ``examples``; part of them is held out first, to measure.

    Args:
        examples: see ``prepare``.
        encoder: that prepared them.
        plan: how it is trained.
        progress: told what is done, how many of how many.

    Raises:
        InputError: if there is nothing to learn from.
    """
    plan = plan or TrainingPlan()
    reached: tuple[Reached, ...] = ()
    kept = round(len(examples) * plan.held_out)
    if kept and len(examples) - kept >= 2:
        order = random.Random(plan.seed).sample(examples, len(examples))
        reached = measure(fit(order[kept:], encoder, plan, "measuring", progress), order[:kept])
    tagger = fit(examples, encoder, plan, "training", progress)
    tagger.about = About(tagger.about.trained, reached)
    return tagger


def fit(
    examples: Sequence[TrainingText],
    encoder: WordEncoder,
    plan: TrainingPlan,
    what: str = "training",
    progress: Progress = lambda what, done, total: None,
) -> Tagger:
    """A tagger that learned from all ``examples``.

    Args:
        examples: see ``prepare``.
        encoder: that prepared them.
        plan: how it is trained.
        what: this is called, for ``progress``.
        progress: told what is done, how many of how many.

    Raises:
        InputError: if there is nothing to learn from.
    """
    if not any((example.targets[:, 1:] > 0).any() for example in examples):
        raise InputError("the corpus has no masked mentions", remedy="Give annotated documents.")
    layer = _learn(examples, plan, lambda done, total: progress(what, done, total))
    return Tagger(encoder, layer, About({"documents": len(examples), **asdict(plan)}))


def _learn(
    examples: Sequence[TrainingText], plan: TrainingPlan, progress: Callable[[int, int], None]
) -> TagLayer:
    torch.manual_seed(plan.seed)
    shuffler = random.Random(plan.seed)
    items = [
        (one.states, one.words.forms(), one.words.buckets(), torch.from_numpy(one.targets))
        for one in examples
    ]
    states, forms, _, _ = items[0]
    layer = TagLayer.new(states[:1].float(), forms[:1])
    linear = [layer.weight.requires_grad_(), layer.bias.requires_grad_()]
    optimiser = torch.optim.AdamW(
        [
            {"params": linear, "lr": _RATE},
            {"params": [layer.table.requires_grad_()], "lr": _TABLE_RATE, "weight_decay": 0.0},
        ]
    )
    steps = plan.epochs * len(examples)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, steps)
    weights = torch.tensor([1.0] + [plan.weight] * (len(TAGS) - 1))
    for epoch in range(plan.epochs):
        for number, item in enumerate(shuffler.sample(items, len(items)), start=1):
            states, forms, buckets, target = item
            inputs = functional.dropout(columns(states.float(), forms), _DROP)
            shares = torch.log_softmax(layer.logits(inputs, buckets), dim=1)
            scaled = target * weights
            loss = -(scaled * shares).sum() / scaled.sum()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            progress(epoch * len(examples) + number, steps)
    return TagLayer(layer.weight.detach(), layer.bias.detach(), layer.table.detach())


def targets(words: Words, layers: Sequence[Sequence[Mention]]) -> NDArray[np.float32]:
    """Each word's tags, averaged over annotators; of nested mentions the longest counts.

    Args:
        words: of one text.
        layers: the mentions that each annotator marked.

    Returns:
        Shape (words, tags).
    """
    table = np.zeros((len(words), len(TAGS)), dtype=np.float32)
    for mentions in layers:
        tags = np.zeros(len(words), dtype=np.int64)
        masked = [mention for mention in mentions if mention.masked]
        for mention in sorted(masked, key=lambda m: (len(m.span), -m.span.start)):
            known = mention.entity_type in TYPES
            number = TYPES.index(mention.entity_type if known else EntityType.MISC)
            inside = _within(words, mention)
            tags[inside] = 2 + 2 * number
            tags[inside[:1]] = 1 + 2 * number
        table[np.arange(len(words)), tags] += 1.0 / len(layers)
    return table


def measure(tagger: Tagger, held: Sequence[TrainingText]) -> tuple[Reached, ...]:
    """Recall of mentions and precision of content words, at every threshold.

    Args:
        tagger: to be measured.
        held: examples that it was not trained on.
    """
    weakest: list[tuple[bool, float]] = []  # of each mention: direct?, its least likely word
    shares: list[NDArray[np.float32]] = []  # of the content words
    right: list[NDArray[np.bool_]] = []  # whether they are masked
    for example in held:
        masked = masked_probability(tagger.probabilities(example.words, example.states))
        content = np.array(example.words.content())
        for layer in example.layers:
            owned = np.zeros(len(masked), dtype=bool)
            for mention in (mention for mention in layer if mention.masked):
                inside = _within(example.words, mention)
                owned[inside] = True
                least = min(masked[inside][content[inside]], default=1.0)
                weakest.append((mention.identifier_type is IdentifierType.DIRECT, float(least)))
            shares.append(masked[content])
            right.append(owned[content])
    found, true = np.concatenate(shares), np.concatenate(right)

    def recall(threshold: float, *kinds: bool) -> float:
        return _share([least >= threshold for direct, least in weakest if direct in kinds])

    return tuple(
        Reached(
            threshold,
            recall(threshold, True, False),
            recall(threshold, True),
            recall(threshold, False),
            _share(true[found >= threshold].tolist()),
        )
        for threshold in THRESHOLDS
    )


def _share(hits: Sequence[bool]) -> float:
    return round(sum(hits) / len(hits), 4) if hits else 1.0


def _within(words: Words, mention: Mention) -> list[int]:
    """The numbers of the words that a mention touches."""
    ends = np.array([span.end for span in words.spans])
    starts = np.array([span.start for span in words.spans])
    first = int(np.searchsorted(ends, mention.span.start, side="right"))
    return list(range(first, int(np.searchsorted(starts, mention.span.end, side="left"))))
