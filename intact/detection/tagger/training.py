"""Training a tagger on annotated documents.

A word's target is how its annotators tagged it, on average. Words inside mentions weigh more than
others, because a missed name costs more than a masked word. With a frozen encoder its states are
computed once, and only the linear layer learns; the topmost encoder layers can be trained too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from intact.detection.tagger.decoding import masked_probability
from intact.detection.tagger.encoder import Encoder
from intact.detection.tagger.head import TAGS, Head
from intact.detection.tagger.tagger import About, Reached, Tagger
from intact.detection.tagger.words import Words, features, words_of
from intact.domain import ENTITY_TYPES, Document, EntityType, IdentifierType, Mention
from intact.english.wordlists import STOP_WORDS
from intact.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

Progress = Callable[[str, int, int], None]
THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a tagger is trained.

    Attributes:
        epochs: passes over the corpus.
        weight: of words inside mentions against others; more finds more and errs more.
        rate: learning rate of states and features.
        drop: share of states and features left out at each step.
        tuned: how many of the encoder's topmost layers learn, too.
        tuned_rate: their learning rate.
        held_out: share of the documents kept apart to measure; then it is trained on all.
        seed: of all that is drawn.
    """

    epochs: int = 6
    weight: float = 16.0
    rate: float = 1.5e-3
    drop: float = 0.2
    tuned: int = 0
    tuned_rate: float = 5e-5
    held_out: float = 0.2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """A text and what each annotator saw in it."""

    text: str
    layers: tuple[tuple[Mention, ...], ...]

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Example:
        """One text as several annotators saw it."""
        return cls(documents[0].text, tuple(document.mentions for document in documents))


@dataclass(slots=True)
class Item:
    """An example made ready."""

    words: Words
    layers: tuple[tuple[Mention, ...], ...]
    buckets: Tensor
    target: Tensor
    windows: list[Any]
    states: Tensor | None


def train(
    examples: Sequence[Example],
    encoder: Encoder,
    plan: Plan | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Tagger:
    """A tagger that learned from ``examples``; part of them is held out first, to measure.

    Raises:
        InputError: if there is nothing to learn from.
    """
    plan = plan or Plan()
    items = prepare(examples, encoder, plan, progress)
    reached: tuple[Reached, ...] = ()
    kept = round(len(items) * plan.held_out)
    if kept and len(items) - kept >= 2 and not plan.tuned:
        order = list(range(len(items)))
        random.Random(plan.seed).shuffle(order)
        first = fit(
            [items[at] for at in sorted(order[kept:])], encoder, plan, "measuring", progress
        )
        reached = measure(first, [items[at] for at in order[:kept]])
    tagger = fit(items, encoder, plan, "training", progress)
    tagger.about = About(tagger.about.trained, reached)
    return tagger


def prepare(
    examples: Sequence[Example],
    encoder: Encoder,
    plan: Plan,
    progress: Progress = lambda what, done, total: None,
) -> list[Item]:
    """Examples made ready to be learned from; those without words are left out."""
    import torch

    items = []
    for number, example in enumerate(examples):
        words = words_of(example.text)
        if len(words):
            windows = encoder.windows(words)
            states = None if plan.tuned else encoder.states(windows).half()
            buckets = torch.from_numpy(features(words))
            target = torch.from_numpy(targets(words, example.layers))
            items.append(Item(words, example.layers, buckets, target, windows, states))
        progress("reading", number + 1, len(examples))
    return items


def fit(
    items: Sequence[Item],
    encoder: Encoder,
    plan: Plan,
    what: str = "training",
    progress: Progress = lambda what, done, total: None,
) -> Tagger:
    """A tagger that learned from all ``items``.

    Raises:
        InputError: if there is nothing to learn from.
    """
    if not any(bool((item.target[:, 1:] > 0).any()) for item in items):
        raise InputError("the corpus has no masked mentions", remedy="Give annotated documents.")
    head = _learn(items, encoder, plan, what, progress)
    return Tagger(encoder, head, About({"documents": len(items), **asdict(plan)}))


def targets(words: Words, layers: Sequence[Sequence[Mention]]) -> NDArray[np.float32]:
    """Each word's tags, averaged over annotators; of nested mentions the longest counts."""
    import numpy as np

    table = np.zeros((len(words), len(TAGS)), dtype=np.float32)
    starts = np.array([span.start for span in words.spans])
    ends = np.array([span.end for span in words.spans])
    for mentions in layers:
        tags = np.zeros(len(words), dtype=np.int64)
        masked = [m for m in mentions if m.masked]
        for mention in sorted(masked, key=lambda m: (len(m.span), -m.span.start)):
            kind = mention.entity_type
            number = tuple(ENTITY_TYPES).index(kind if kind in ENTITY_TYPES else EntityType.MISC)
            first = int(np.searchsorted(ends, mention.span.start, side="right"))
            last = int(np.searchsorted(starts, mention.span.end, side="left"))
            tags[first:last] = 2 + 2 * number
            if first < last:
                tags[first] = 1 + 2 * number
        table[np.arange(len(words)), tags] += 1.0 / len(layers)
    return table


def _learn(
    items: Sequence[Item], encoder: Encoder, plan: Plan, what: str, progress: Progress
) -> Head:
    import torch
    from torch.nn import functional

    torch.manual_seed(plan.seed)
    shuffler = random.Random(plan.seed)
    head = Head.new(encoder.dimensions)
    learned = [
        {"params": [head.states, head.bias], "lr": plan.rate},
        {"params": [head.table], "lr": plan.rate},
    ]
    if plan.tuned:
        learned.append({"params": encoder.tune(plan.tuned), "lr": plan.tuned_rate})
    for tensor in (head.states, head.bias, head.table):
        tensor.requires_grad_(True)
    optimiser = torch.optim.Adam(learned, fused=True)
    weights = torch.tensor([1.0] + [plan.weight] * (len(TAGS) - 1))
    steps = plan.epochs * len(items)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.0, 1 - step / steps))
    order = list(items)
    for epoch in range(plan.epochs):
        shuffler.shuffle(order)
        for number, item in enumerate(order):
            states = item.states.float() if item.states is not None else _read(encoder, item)
            dropped = torch.rand(item.buckets.shape) < plan.drop
            buckets = item.buckets.masked_fill(dropped, 0)
            logits = head.logits(functional.dropout(states, plan.drop), buckets)
            scaled = item.target * weights
            loss = -(scaled * functional.log_softmax(logits, dim=1)).sum() / scaled.sum()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            progress(what, epoch * len(items) + number + 1, steps)
    encoder.network.eval()
    return Head(*(tensor.detach() for tensor in (head.states, head.bias, head.table)))


def _read(encoder: Encoder, item: Item) -> Tensor:
    import torch

    return torch.cat(encoder.read(item.windows))


def measure(tagger: Tagger, held: Sequence[Item]) -> tuple[Reached, ...]:
    """Recall of mentions and precision of content words, at every threshold."""
    seen = []
    for item in held:
        shares = tagger.probabilities(item.words, item.states)
        telling = [
            any(c.isalnum() for c in word) and word.lower() not in STOP_WORDS
            for word in item.words.strings
        ]
        for mentions in item.layers:
            masked = [mention for mention in mentions if mention.masked]
            seen.append((item.words, masked, masked_probability(shares), telling))
    return tuple(_at(threshold, seen) for threshold in THRESHOLDS)


def _at(
    threshold: float,
    seen: Sequence[tuple[Words, Sequence[Mention], NDArray[np.float32], Sequence[bool]]],
) -> Reached:
    found: list[tuple[bool, bool]] = []
    right = chosen = 0
    for words, mentions, shares, telling in seen:
        owners: dict[int, int] = {}
        misses = [False] * len(mentions)
        for number, mention in enumerate(mentions):
            for at in _within(words, mention):
                owners[at] = number
                misses[number] |= telling[at] and shares[at] < threshold
        found += [
            (m.identifier_type is IdentifierType.DIRECT, not missed)
            for m, missed in zip(mentions, misses, strict=True)
        ]
        hits = [at for at, p in enumerate(shares) if telling[at] and p >= threshold]
        chosen += len(hits)
        right += sum(at in owners for at in hits)
    direct = [hit for is_direct, hit in found if is_direct]
    quasi = [hit for is_direct, hit in found if not is_direct]
    everything, first, second = (
        _share(sum(group), len(group)) for group in (direct + quasi, direct, quasi)
    )
    return Reached(threshold, everything, first, second, _share(right, chosen))


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def _within(words: Words, mention: Mention) -> range:
    from bisect import bisect_left, bisect_right

    first = bisect_right(words.spans, mention.span.start, key=lambda span: span.end)
    return range(first, bisect_left(words.spans, mention.span.end, key=lambda span: span.start))
