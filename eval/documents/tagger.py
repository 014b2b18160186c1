"""Training a tagger on annotated documents (TAB's JSON, JSONL).

    python eval/documents/tagger.py corpus.json -o model/
    intact detect letter.txt -o found.json --set detection.tagger=model/

Low-rank changes of every linear layer, and the norms, are learned (LoRA, Hu et al. 2021) on
windows of the documents. In every epoch names, numbers and places are exchanged for others, and
some texts lose their capitals or their lines, so that it learns from the sentence around a name
and not the name. Of several annotators one is drawn each time. The folder holds learned weights:
share it as you would share the corpus. Large matrices are rounded (``onnx_bert.py``).
Needs the packages of the extra ``evaluation``.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from intact.detection.names import name_list
from intact.detection.tagger import (
    FORMS,
    NETWORK,
    TAGS,
    TOKENIZER,
    TYPES,
    VERSION,
    WINDOW,
    Pieces,
    Reader,
    Tagger,
    certainty,
)
from intact.domain import Document, EntityType, IdentifierType, Mention, Span
from intact.english.words import TITLES
from intact.errors import InputError, ModelError
from intact.evaluation.corpus import Corpus, read_corpus
from intact.models.encoder import minilm_folder
from intact.models.network import Network
from intact.shipped import SHIPPED_TAGGER, TAGGER_SETTINGS

sys.path.insert(0, str(Path(__file__).parent))

from onnx_bert import PARTS, SCALE, WIDE, encode_bert

Progress = Callable[[str, int, int], None]
Layers = Sequence[Document]
"""A text as each of its annotators marked it."""

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_RANK, _RATE, _BATCH = 32, 6e-4, 16
_DROP, _HIDDEN, _SMOOTH = 0.1, 0.08, 0.03  # of the states; words masked; of the targets
_IGNORED = -100
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Reached:
    """Figures of a tagger at one threshold, on documents that it was not trained on."""

    threshold: float
    recall: float  # share of masked mentions all of whose words were found
    direct: float  # the same of direct identifiers
    quasi: float  # the same of quasi identifiers
    precision: float  # share of the words found that an annotator masked


@dataclass(frozen=True, slots=True)
class About:
    """The origin of a tagger: documents, epochs, seed; held-out figures by ascending threshold."""

    trained: Mapping[str, Any] = field(default_factory=dict)
    reached: Sequence[Reached] = ()


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Settings of one training.

    Attributes:
        epochs: passes over the corpus.
        weight: of words inside mentions against others; more finds more and errs more.
        held_out: share of the documents kept apart to measure; then it is trained on all.
        vary: how much is exchanged in the texts, from 0 (nothing) to 1.
        seed: of all that is drawn.
    """

    epochs: int = 12
    weight: float = 2.0
    held_out: float = 0.2
    vary: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class Learned:
    """A trained network and its settings.

    Attributes:
        reader: of texts.
        weights: a BERT's by their names in transformers, without pooling; ``forms.weight`` of
            shape (dimensions, ``FORMS``), ``head.weight`` of shape (tags, dimensions), and their
            ``bias``.
        heads: of the attention.
        about: where they come from.
    """

    reader: Reader
    weights: Mapping[str, NDArray[np.float32]]
    heads: int
    about: About = field(default_factory=About)

    @cached_property
    def model(self) -> bytes:
        """The network in ONNX, rounded."""
        return encode_bert(self.weights, self.heads, rounded=True)

    @cached_property
    def tagger(self) -> Tagger:
        """Return a detector that uses them."""
        return Tagger(self.reader, Network(self.model))

    def save(self, folder: Path) -> None:
        """Write the tagger to ``folder``, which is made.

        Raises:
            ModelError: if it cannot be written.
        """
        settings: dict[str, Any] = {
            "version": VERSION,
            "tags": TAGS,
            "network": sha256(self.model).hexdigest(),
            "trained": dict(self.about.trained),
            "reached": [asdict(one) for one in self.about.reached],
        }
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / NETWORK).touch(mode=0o600)
            (folder / NETWORK).write_bytes(self.model)
            (folder / TOKENIZER).write_text(self.reader.tokenizer.to_str(), encoding="utf-8")
            (folder / TAGGER_SETTINGS).write_text(
                json.dumps(settings, indent=2) + "\n", encoding="utf-8"
            )
        except OSError as error:
            raise ModelError(f"cannot be written ({error.strerror})", where=str(folder)) from None


def read_learned(folder: Path = SHIPPED_TAGGER) -> Learned:
    """Return what the tagger in ``folder`` was made from, as far as rounding has left it."""
    graph = onnx.load(folder / NETWORK).graph
    stored = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    weights: dict[str, NDArray[np.float32]] = {}
    for name, values in stored.items():
        scale = stored.get(name + SCALE, np.float32(1))
        if values.dtype == np.uint8:
            parts = values.astype(np.float32) - (WIDE + 1)
            weights[name] = (parts * scale.reshape(*values.shape[:2], 1)).reshape(len(values), -1)
        elif not name.endswith(SCALE):
            turned = values.ndim == 2 and not name.startswith(("embeddings.", "places"))
            weights[name] = (values * scale).T if turned else values * scale
    del weights["first"]
    places = weights.pop("places")
    weights["embeddings.position_embeddings.weight"] = places
    weights["embeddings.token_type_embeddings.weight"] = np.zeros_like(places[:2])
    for name in [name for name in weights if ".attention.self." in name]:
        own, kind = name.rsplit(".", 1)
        for part, values in zip(PARTS, np.split(weights.pop(name), len(PARTS)), strict=True):
            weights[f"{own}.{part}.{kind}"] = values
    heads = next(
        option.i
        for operation in graph.node
        for option in operation.attribute
        if option.name == "num_heads"
    )
    settings = json.loads((folder / TAGGER_SETTINGS).read_text("utf-8"))
    reader = Reader((folder / TOKENIZER).read_text("utf-8"))
    reached = tuple(Reached(**one) for one in settings["reached"])
    return Learned(reader, weights, heads, About(settings["trained"], reached))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder to make")
    parser.add_argument("--test", type=Path, help="measure on these, not on a fifth held out")
    parser.add_argument("--start", help="a tagger to begin with, else the shipped one; or minilm")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--weight", type=float, default=2.0, help="of words in mentions")
    parser.add_argument("--threads", type=int, default=0, help="processor threads; 0 chooses")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    plan = TrainingPlan(epochs=options.epochs, weight=options.weight, seed=options.seed)
    begin = untrained() if options.start == "minilm" else None
    if options.start and begin is None:
        begin = read_learned(Path(options.start))
    began = time.monotonic()
    read = read_corpus(options.corpus)
    other = annotators(read_corpus(options.test)) if options.test else None
    made = train(annotators(read), begin, plan, other, lambda *told: print(*told, flush=True))
    made.save(options.out)
    print(f"Trained on {len(read.documents)} documents in {time.monotonic() - began:.0f} s.")
    for one in made.about.reached:
        print(
            f"threshold {one.threshold:<4g} recall {one.recall:.3f} (direct {one.direct:.3f}, "
            f"quasi {one.quasi:.3f}), token precision {one.precision:.3f}"
        )


def annotators(corpus: Corpus) -> list[tuple[Document, ...]]:
    """For each text the documents of all its annotators; the one document where only one annotated
    it."""
    return [corpus.layers.get(one.id) or (one,) for one in corpus.documents]


def train(
    documents: Sequence[Layers],
    start: Learned | None = None,
    plan: TrainingPlan | None = None,
    test: Sequence[Layers] | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Learned:
    """Return a tagger that learned from ``documents``; part of them is held out first, to measure.

    Args:
        documents: of each text one document for each annotator.
        start: what it begins from; the one that comes with the package if None.
        plan: how it is trained.
        test: documents to measure on instead.
        progress: told what is done, how many of how many.

    Raises:
        InputError: if there is nothing to learn from.
    """
    plan, start = plan or TrainingPlan(), start or read_learned()
    if not any(m.masked for layers in documents for one in layers for m in one.mentions):
        raise InputError("the corpus has no masked mentions", remedy="Give annotated documents.")
    reached: tuple[Reached, ...] = ()
    kept = round(len(documents) * plan.held_out)
    if test is None and kept and len(documents) - kept >= 2:
        order = random.Random(plan.seed).sample(documents, len(documents))
        trial = _fit(order[kept:], start, plan, lambda at, of: progress("measuring", at, of))
        reached = measure(trial.tagger, order[:kept])
    made = _fit(documents, start, plan, lambda at, of: progress("training", at, of))
    reached = measure(made.tagger, test) if test is not None else reached
    return replace(made, about=replace(made.about, reached=reached))


def untrained(layers: int = 4) -> Learned:
    """Return a tagger that has learned nothing: MiniLM's first layers, as its package ships them.

    Args:
        layers: of at most 6; more are slower.

    Raises:
        MissingExtraError: if the package of MiniLM is not installed.
    """
    folder = Path(minilm_folder())
    stored = load_file(folder / "model.safetensors")
    unused = tuple(f"encoder.layer.{at}." for at in range(layers, 12))
    weights = {
        name: values
        for name, values in stored.items()
        if name.startswith(("embeddings.", "encoder.")) and not name.startswith(unused)
    }
    weights = {name: values for name, values in weights.items() if values.dtype == np.float32}
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    drawn = np.random.default_rng(0)
    weights |= {
        "forms.weight": np.zeros((width, FORMS), dtype=np.float32),
        "forms.bias": np.zeros(width, dtype=np.float32),
        "head.weight": drawn.normal(0, width**-0.5, (len(TAGS), width)).astype(np.float32),
        "head.bias": np.zeros(len(TAGS), dtype=np.float32),
    }
    heads = json.loads((folder / "config.json").read_text("utf-8"))["num_attention_heads"]
    return Learned(Reader((folder / "tokenizer.json").read_text("utf-8")), weights, heads)


def _fit(
    documents: Sequence[Layers],
    start: Learned,
    plan: TrainingPlan,
    progress: Callable[[int, int], None],
) -> Learned:
    torch.manual_seed(plan.seed)
    drawn = random.Random(plan.seed)
    change = _Exchange([one for layers in documents for one in layers], drawn, plan.vary)
    network = _Network(start)
    learned = [one for one in network.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(learned, lr=_RATE, weight_decay=0.01)
    count = sum(_count(start.reader.read(layers[0].text)) for layers in documents)
    batches = -(-count // _BATCH)
    steps = plan.epochs * batches
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, steps, pct_start=0.1)
    weights = torch.tensor([1.0] + [plan.weight] * (len(TAGS) - 1))
    network.train()
    for epoch in range(plan.epochs):
        order = drawn.sample(documents, len(documents))
        items = [
            window
            for layers in order
            for window in _windows(start.reader, change(drawn.choice(layers)), drawn)
        ]
        drawn.shuffle(items)
        for batch in range(batches):
            if chosen := items[batch * _BATCH : (batch + 1) * _BATCH]:
                ids, forms, mask, tags = _stacked(chosen, start.reader)
                hidden = (torch.rand(ids.shape) < _HIDDEN) & (tags > 0)
                logits = network(ids.masked_fill(hidden, start.reader.hidden), forms, mask)
                loss = functional.cross_entropy(
                    logits.flatten(0, 1),
                    tags.flatten(),
                    weight=weights,
                    ignore_index=_IGNORED,
                    label_smoothing=_SMOOTH,
                )
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(learned, 1.0)
                optimiser.step()
            schedule.step()
            progress(epoch * batches + batch + 1, steps)
    about = About({"documents": len(documents), **asdict(plan)})
    return Learned(start.reader, network.merged(), start.heads, about)


Item = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]


def _windows(reader: Reader, document: Document, drawn: random.Random) -> list[Item]:
    """Tokens, forms and tags of random windows, as many as would hold the document."""
    pieces = reader.read(document.text)
    tags = targets(pieces, document.mentions)[pieces.owner]
    tags[(pieces.forms[:, -1] > 0) & (tags % 2 == 1)] += 1  # of the first word's further tokens
    found = []
    for _ in range(_count(pieces)):
        start = drawn.randint(0, max(0, len(tags) - WINDOW))
        part = slice(start, start + WINDOW)
        found.append((pieces.ids[part], pieces.forms[part], tags[part]))
    return found


def _count(pieces: Pieces) -> int:
    return -(-len(pieces.ids) // WINDOW)


def targets(pieces: Pieces, mentions: Sequence[Mention]) -> NDArray[np.int64]:
    """The number of each word's tag, shape (words,); of nested mentions the longest counts.

    Args:
        pieces: of one text.
        mentions: that one annotator marked.
    """
    tags = np.zeros(len(pieces.words), dtype=np.int64)
    masked = [mention for mention in mentions if mention.masked]
    for mention in sorted(masked, key=lambda m: (len(m.span), -m.span.start)):
        known = mention.entity_type in TYPES
        number = TYPES.index(mention.entity_type if known else EntityType.MISC)
        inside = _within(pieces, mention)
        tags[inside] = 2 + 2 * number
        tags[inside[:1]] = 1 + 2 * number
    return tags


def _stacked(items: Sequence[Item], reader: Reader) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Tokens, forms, what is no padding, and tags; shape (items, longest, ...)."""
    rows, longest = len(items), max(len(item[0]) for item in items) + 2
    ids = torch.zeros(rows, longest, dtype=torch.long)
    forms, mask = torch.zeros(rows, longest, FORMS), torch.zeros(rows, longest)
    tags = torch.full((rows, longest), _IGNORED)
    for row, (tokens, form, tag) in enumerate(items):
        size = len(tokens) + 1
        ids[row, 0], ids[row, size] = reader.begin, reader.end
        ids[row, 1:size], forms[row, 1:size] = torch.from_numpy(tokens), torch.from_numpy(form)
        tags[row, 1:size], mask[row, : size + 1] = torch.from_numpy(tag), 1.0
    return ids, forms, mask, tags


class _LowRank(nn.Module):
    """A linear layer that stays, and a change of it that is learned."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(requires_grad=False)
        rank = min(_RANK, layer.in_features)
        self.down = nn.Parameter(torch.randn(rank, layer.in_features) * layer.in_features**-0.5)
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, states: Tensor) -> Tensor:
        changed: Tensor = functional.linear(functional.linear(states, self.down), self.up)
        same: Tensor = self.layer(states)
        return same + changed


class _Network(nn.Module):
    """A tagger's network, ready to learn."""

    def __init__(self, start: Learned) -> None:
        super().__init__()
        stored = {name: torch.from_numpy(np.array(v)) for name, v in start.weights.items()}
        words = stored["embeddings.word_embeddings.weight"]
        layers = sum(name.endswith(".intermediate.dense.bias") for name in stored)
        config = BertConfig(
            vocab_size=len(words),
            hidden_size=words.shape[1],
            num_hidden_layers=layers,
            num_attention_heads=start.heads,
            intermediate_size=len(stored["encoder.layer.0.intermediate.dense.bias"]),
            max_position_embeddings=len(stored["embeddings.position_embeddings.weight"]),
            attention_probs_dropout_prob=0.0,  # with it attention is computed the slow way
        )
        self.bert = BertModel(config, add_pooling_layer=False)
        self.forms = nn.Linear(FORMS, words.shape[1])
        self.head = nn.Linear(words.shape[1], len(TAGS))
        self._stored = stored
        parts: dict[str, dict[str, Tensor]] = {"forms": {}, "head": {}, "bert": {}}
        for name, values in stored.items():
            part = name.partition(".")[0]
            key = name.removeprefix(f"{part}.") if part in ("forms", "head") else name
            parts[part if part in parts else "bert"][key] = values
        for part, own in parts.items():
            getattr(self, part).load_state_dict(own, strict=part != "bert")
        self.bert.requires_grad_(requires_grad=False)
        for module in list(self.bert.modules()):
            if isinstance(module, nn.LayerNorm):
                module.requires_grad_(requires_grad=True)
            for name, child in list(module.named_children()):
                if isinstance(child, nn.Linear):
                    setattr(module, name, _LowRank(child))

    def forward(self, ids: Tensor, forms: Tensor, mask: Tensor) -> Tensor:
        embedded = self.bert.embeddings.word_embeddings(ids) + self.forms(forms)
        states = self.bert(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
        logits: Tensor = self.head(functional.dropout(states, _DROP, self.training))
        return logits

    def merged(self) -> Mapping[str, Any]:
        """Its weights by the names that a tagger has."""
        made = dict(self._stored)
        for name, module in self.bert.named_modules():
            if isinstance(module, _LowRank):
                made[f"{name}.weight"] = module.layer.weight + module.up @ module.down
                made[f"{name}.bias"] = module.layer.bias
            elif isinstance(module, nn.LayerNorm):
                made |= {f"{name}.weight": module.weight, f"{name}.bias": module.bias}
        for part in ("forms", "head"):
            made |= {f"{part}.{name}": one for name, one in getattr(self, part).named_parameters()}
        return {name: values.detach().float().numpy().copy() for name, values in made.items()}


class _Exchange:
    """Exchanges what mentions say for something else of their kind, and changes the writing."""

    def __init__(self, documents: Layers, drawn: random.Random, much: float) -> None:
        self._drawn, self._much = drawn, much
        listed = name_list()
        self._names = sorted({*listed.given, *listed.surnames})
        self._said: dict[str, list[str]] = {}
        for document in documents:
            for mention in document.mentions:
                self._said.setdefault(mention.entity_type, []).append(mention.text)

    def __call__(self, document: Document) -> Document:
        often = self._much
        rename = self._drawn.random() < 0.6 * often
        names: dict[str, str] = {}
        text, at = "", 0
        marked: list[tuple[Span, str]] = []
        for mention in sorted(document.mentions, key=lambda m: m.span):
            if mention.span.start < at or not mention.masked:
                continue
            said = self._other(mention, names if rename else None)
            text += document.text[at : mention.span.start]
            marked.append((Span(len(text), len(text) + len(said)), mention.entity_type))
            text, at = text + said, mention.span.end
        text += document.text[at:]
        if self._drawn.random() < 0.1 * often:
            text = text.replace("\n", " ")
        chance = self._drawn.random()
        if chance < 0.12 * often:
            text = _each(text, str.lower)
        elif chance < 0.15 * often:
            text = _each(text, str.upper)
        mentions = (
            Mention(f"m{number}", span, span.of(text), f"m{number}", kind)
            for number, (span, kind) in enumerate(marked)
        )
        return Document(document.id, text, tuple(mentions))

    def _other(self, mention: Mention, names: dict[str, str] | None) -> str:
        said, kind, chance = mention.text, mention.entity_type, self._drawn.random()
        if kind == EntityType.PERSON:
            if names is None:
                return said
            return _WORD.sub(lambda found: self._name(found.group(), names), said)
        if kind in (EntityType.CODE, EntityType.DATETIME, EntityType.QUANTITY):
            if chance < 0.4 * self._much:
                return re.sub("[1-9]", lambda _: str(self._drawn.randint(1, 9)), said)
            if kind == EntityType.CODE and chance < 0.55 * self._much:
                return self._drawn.choice(self._said[kind])
            return said
        if chance < 0.25 * self._much:
            other = self._drawn.choice(self._said[kind])
            return other if other[0].isupper() == said[0].isupper() else said
        return said

    def _name(self, word: str, names: dict[str, str]) -> str:
        if len(word) < 3 or word.lower() in TITLES:
            return word
        name = names.setdefault(word.lower(), self._drawn.choice(self._names))
        return name.upper() if word.isupper() else name.title() if word[0].isupper() else name


def _each(text: str, change: Callable[[str], str]) -> str:
    """``text`` with every character changed whose change is one character."""
    return "".join(new if len(new := change(char)) == 1 else char for char in text)


def measure(tagger: Tagger, held: Sequence[Layers]) -> tuple[Reached, ...]:
    """Recall of mentions and precision of content words, at every threshold.

    Args:
        tagger: to be measured.
        held: documents that it was not trained on, as each annotator marked them.
    """
    weakest: list[tuple[bool, float]] = []  # of each mention: direct?, its least likely word
    shares: list[NDArray[np.float32]] = []  # of the content words
    right: list[NDArray[np.bool_]] = []  # whether they are masked
    for layers in held:
        pieces = tagger.reader.read(layers[0].text)
        if not pieces.words:
            continue
        masked = certainty(tagger.probabilities(pieces))
        content = np.array(pieces.content())
        for layer in layers:
            owned = np.zeros(len(masked), dtype=bool)
            for mention in (mention for mention in layer.mentions if mention.masked):
                inside = _within(pieces, mention)
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


def _within(pieces: Pieces, mention: Mention) -> list[int]:
    """The numbers of the words that a mention touches."""
    ends = np.array([span.end for span in pieces.words])
    starts = np.array([span.start for span in pieces.words])
    first = int(np.searchsorted(ends, mention.span.start, side="right"))
    return list(range(first, int(np.searchsorted(starts, mention.span.end, side="left"))))


if __name__ == "__main__":
    main()
