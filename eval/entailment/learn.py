"""Training the network that says whether a phrase follows from a mention in its sentence.

    python eval/entailment/learn.py eval/entailment/ladders.tsv -o FOLDER

Learned from ladders that editors wrote, with their near misses (phrases of the same form that do
not follow), and from labelled kinds (``eval/documents/kinds.tsv``): all phrases on the way up from
the label follow, those of the kind's siblings and of the other senses of its words do not. Phrases
of other mentions are negatives, too: half of the same type. Every eighth document is held out; the
figures are printed for those, and for their mentions of which no word was learned from.
Needs the packages of the extra ``evaluation``.
"""

from __future__ import annotations

import argparse
import csv
import random
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file
from safetensors.numpy import save_file as save_numpy
from safetensors.torch import load_file as load_torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "documents"))
from kinds import texts
from network import EntailmentModel
from onnx_bert import encode_bert

from intact.domain import Span
from intact.english.words import content_lemmas, normalise
from intact.knowledge.base import FILE
from intact.knowledge.kinds import Lexicon, kind_tree
from intact.models.encoder import minilm_folder
from intact.models.entailment import HEADS, read_pair

Array = NDArray[np.float32]
KINDS = Path(__file__).resolve().parents[1] / "documents" / "kinds.tsv"
HELD_OUT = 8
_ROWS = 32  # mentions in a batch
WIDTH = 384
_MOST = 10  # phrases of a mention in a batch
_OTHERS = 3  # of them from other mentions
SORTS = ("true", "written", "kind", "same type", "other type")
"""Where a phrase comes from; all but the first do not follow."""


@dataclass(frozen=True, slots=True)
class Example:
    """A mention with phrases that follow from it and such that do not."""

    document: str
    entity_type: str
    text: str
    span: Span
    true: tuple[str, ...]
    untrue: tuple[str, ...] = ()  # written as near misses
    rivals: tuple[str, ...] = ()  # of kinds that it is not of
    labelled: bool = False  # by its kind; else a ladder

    @property
    def mention(self) -> str:
        """The words of the mention."""
        return self.span.of(self.text)


@dataclass
class Scores:
    """Probabilities by the sort of phrase."""

    by_sort: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def area(self, sort: str) -> float:
        """Return the area under the curve of true phrases against a sort."""
        true, other = (np.array(self.by_sort[name]) for name in ("true", sort))
        if not len(true) or not len(other):
            return float("nan")
        ranks = np.concatenate([true, other]).argsort().argsort() + 1
        least = len(true) * (len(true) + 1) / 2
        return float((ranks[: len(true)].sum() - least) / (len(true) * len(other)))

    def passing(self, sort: str, kept: float) -> float:
        """Return the share of a sort that passes where ``kept`` of the true phrases do."""
        least = np.quantile(self.by_sort["true"], 1 - kept)
        return float((np.array(self.by_sort[sort]) >= least).mean())


def read_ladders(path: Path) -> Iterator[Example]:
    """Yield the ladders of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            left, mention, right = (
                row[name].replace(" / ", "\n") for name in ("left", "mention", "right")
            )
            span = Span(len(left), len(left) + len(mention))
            true, untrue = (
                tuple(filter(None, (one.strip() for one in row[name].split("|"))))
                for name in ("true", "untrue")
            )
            yield Example(row["document"], row["type"], left + mention + right, span, true, untrue)


def read_labels(path: Path, draw: random.Random) -> Iterator[Example]:
    """Yield labelled mentions with the phrases of their kinds, in the form of their slot."""
    tree, found = kind_tree(), texts(None)
    lexicon = Lexicon(sqlite3.connect(FILE), tree)
    below: dict[str, list[str]] = defaultdict(list)
    for each in tree.values():
        below[each.parent].append(each.id)
    for line in path.read_text("utf-8").splitlines():
        name, first, last, kind, slot = line.split("\t")
        if name not in found or kind not in tree:
            continue
        text, span = found[name]["text"], Span(int(first), int(last))
        path_up = [each.id for each in tree.path(kind)]
        senses = lexicon.rivals(span.of(text), kind) - set(path_up)
        siblings = [one for up in path_up[:2] for one in below[tree[up].parent] if one != up]
        near = [*senses, *draw.sample(siblings, min(4, len(siblings)))]
        wrong = [one for one in near if not set(path_up) & {one}]

        def worded(kind: str, slot: str = slot) -> str:
            own = tree[kind]
            return own.plural if slot == "plural" else own.wordings.get(slot, own.phrase)

        mentions = next(iter(found[name]["annotations"].values()))["entity_mentions"]
        at = {(m["start_offset"], m["end_offset"]): m["entity_type"] for m in mentions}
        yield Example(
            name, at.get((span.start, span.end), "MISC"), text, span,
            tuple(map(worded, path_up)), rivals=tuple(map(worded, wrong)), labelled=True,
        )  # fmt: skip


def held_out(examples: Sequence[Example]) -> set[str]:
    """Return the documents that nothing is learned from: every eighth of those of the ladders and
    of the labelled kinds together."""
    return set(sorted({one.document for one in examples})[::HELD_OUT])


def drawn(
    one: Example, pool: dict[str, list[Example]], draw: random.Random
) -> tuple[list[str], list[int]]:
    """Return phrases about a mention and the numbers of their sorts, true ones first."""
    said = {normalise(phrase) for phrase in one.true}
    words = set().union(*(content_lemmas(phrase) for phrase in one.true))

    def differs(phrase: str) -> bool:
        return normalise(phrase) not in said and not content_lemmas(phrase) <= words

    chosen: list[tuple[str, int]] = [
        (phrase, 0) for phrase in draw.sample(one.true, min(3, len(one.true)))
    ]
    for sort, phrases, most in ((1, one.untrue, 3), (2, one.rivals, 3)):
        sound = [phrase for phrase in phrases if normalise(phrase) not in said]
        chosen += [(phrase, sort) for phrase in draw.sample(sound, min(most, len(sound)))]
    while len(chosen) < _MOST:
        sort = 3 if draw.random() < 0.7 else 4
        entity_type = one.entity_type if sort == 3 else draw.choice(list(pool))
        other = draw.choice(pool[entity_type])
        if other.mention.lower() == one.mention.lower() or (
            sort == 4 and entity_type == one.entity_type
        ):
            continue
        phrase = draw.choice(other.true)
        if differs(phrase):
            chosen.append((phrase, sort))
    return [phrase for phrase, _ in chosen], [sort for _, sort in chosen]


def by_type(examples: Sequence[Example]) -> dict[str, list[Example]]:
    """Return ladders by their type: where phrases of other mentions come from."""
    pool: dict[str, list[Example]] = defaultdict(list)
    for one in examples:
        if not one.labelled or one.true:
            pool[one.entity_type].append(one)
    return pool


def every_text(tokenizer: Tokenizer, one: Example) -> list[list[int]]:
    """Return the tokens of all that is ever read of a mention."""
    phrases = (*one.true, *one.untrue, *one.rivals)
    pair = read_pair(tokenizer, one.text, one.span, one.entity_type, phrases)
    return [pair.sentence, pair.mention, *pair.phrases]


@torch.no_grad()
def score(
    model: EntailmentModel, tokenizer: Tokenizer, examples: Sequence[Example], seed: int = 7
) -> Scores:
    """Return the probabilities of phrases about held-out mentions by their sort."""
    model.eval()
    draw, pool, found = random.Random(seed), by_type(examples), Scores()
    for start in range(0, len(examples), _ROWS):
        some = examples[start : start + _ROWS]
        asked = [drawn(one, pool, draw) for one in some]
        readings = [
            read_pair(tokenizer, one.text, one.span, one.entity_type, phrases)
            for one, (phrases, _) in zip(some, asked, strict=True)
        ]
        shares = model(readings)[0].sigmoid().tolist()
        sorts = [sort for _, own in asked for sort in own]
        for sort, share in zip(sorts, shares, strict=True):
            found.by_sort[SORTS[sort]].append(share)
    return found


def report(title: str, found: Scores) -> None:
    """Print areas under the curve and what passes where 92 and 95 % of true phrases do."""
    print(title, {sort: len(values) for sort, values in found.by_sort.items()})
    for sort in SORTS[1:]:
        if found.by_sort[sort]:
            passing = [f"{found.passing(sort, kept):.3f}" for kept in (0.9, 0.92, 0.95)]
            print(f"  {sort:11} area {found.area(sort):.3f}  passing at 90/92/95 %: {passing}")
    sys.stdout.flush()


def learn(
    model: EntailmentModel,
    tokenizer: Tokenizer,
    examples: Sequence[Example],
    minutes: float,
    rate: float,
    look: Callable[[], None],
) -> None:
    """Train for some minutes; the schedule follows the clock."""
    draw, pool = random.Random(0), by_type(examples)
    upper = [p for n, p in model.named_parameters() if n.startswith("upper.")]
    head = [p for n, p in model.named_parameters() if not n.startswith("upper.")]
    groups = [{"params": head, "most": rate}, {"params": upper, "most": rate / 10}]
    optimizer = torch.optim.AdamW(groups, lr=rate, weight_decay=0.02)
    weight = torch.tensor([1.0, 1.3, 0.8, 0.7, 0.5])
    begun, step, seen, looked = time.monotonic(), 0, 0.0, 0
    order: list[Example] = []
    while (gone := (time.monotonic() - begun) / (60 * minutes)) < 1:
        model.train()
        if len(order) < _ROWS:
            # ladders with near misses teach most
            often = [one for one in examples if one.untrue]
            order = [*examples, *often]
            draw.shuffle(order)
        some, order = order[:_ROWS], order[_ROWS:]
        asked = [drawn(one, pool, draw) for one in some]
        pairs = [
            read_pair(tokenizer, one.text, one.span, one.entity_type, phrases)
            for one, (phrases, _) in zip(some, asked, strict=True)
        ]
        sorts = torch.tensor([sort for _, own in asked for sort in own])
        owner = torch.tensor([row for row, (_, own) in enumerate(asked) for _ in own])
        logits, close = model(pairs)
        each = functional.binary_cross_entropy_with_logits(
            logits, (sorts == 0).float() * 0.96 + 0.02, reduction="none"
        )
        right = sorts == 0
        # a phrase is nearer to its own mention than to others
        apart = functional.cross_entropy(2 * close[right], owner[right])
        loss = (each * weight[sorts]).mean() + 0.1 * apart
        height = min(gone / 0.05, 1.0) * max(0.02, 1 - gone)
        for group in optimizer.param_groups:
            group["lr"] = group["most"] * height
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        seen = 0.98 * seen + 0.02 * loss.item() if step > 1 else loss.item()
        if step % 100 == 0:
            print(f"step {step}, {gone:.0%}, loss {seen:.3f}", flush=True)
        if int(gone * 2) > looked and gone < 0.6:
            looked = int(gone * 2)
            look()


def write(model: EntailmentModel, weights: Mapping[str, Array], folder: Path) -> None:
    """Write what ``intact.models.entailment`` reads: the encoder in eight bits, the head in half
    precision. Its tokenizer is the shipped tagger's."""
    folder.mkdir(parents=True, exist_ok=True)
    learned = {n.replace("/", "."): v.detach().numpy() for n, v in model.upper.items()}
    encoder = encode_bert({**weights, **learned}, HEADS, rounded=True)
    (folder / "network.onnx").write_bytes(encoder)
    own = {name: value.detach().numpy() for name, value in model.named_parameters()}
    head = {name: own[name] for name in ("ask", "key", "value", "out", "near", "types")}
    for name in ("units", "score"):
        head[name] = np.vstack([own[f"{name}.weight"].T, own[f"{name}.bias"]])
    head["score"] = head["score"][:, 0]
    packed = {name: np.ascontiguousarray(each, np.float16) for name, each in head.items()}
    save_numpy(packed, folder / "head.safetensors")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("ladders", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--begin", type=Path, help="weights that were learned before")
    parser.add_argument("--states", type=Path, help="keeps what the lower layers made of texts")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    draw = random.Random(0)
    examples = [*read_ladders(options.ladders), *read_labels(KINDS, draw)]
    held = held_out(examples)
    test = [one for one in examples if one.document in held and not one.labelled]
    kinds = [one for one in examples if one.document in held and one.labelled]
    learned = [one for one in examples if one.document not in held]
    known = {normalise(one.mention) for one in learned}
    new = [one for one in test if normalise(one.mention) not in known]
    folder = minilm_folder()
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    weights = load_file(f"{folder}/model.safetensors")
    weights = {n: v for n, v in weights.items() if n.startswith(("embeddings.", "encoder."))}
    model = EntailmentModel(weights)
    if options.begin:
        model.load_state_dict(load_torch(options.begin), strict=False)
    if options.states and options.states.is_file():
        model.states = torch.load(options.states)
    if options.minutes:
        model.remember(row for one in examples for row in every_text(tokenizer, one))
    if options.states and options.minutes:
        torch.save(model.states, options.states)
    print(f"{len(learned)} learned from, {len(test)} ladders held out, {len(new)} with new words")

    def look() -> None:
        report("held out", score(model, tokenizer, test))
        report("new words", score(model, tokenizer, new))
        report("kinds held out", score(model, tokenizer, kinds[:400]))
        save_file(model.state_dict(), f"{options.out}.safetensors")

    if options.minutes:
        learn(model, tokenizer, learned, options.minutes, options.rate, look)
        look()
    write(model, weights, options.out)


if __name__ == "__main__":
    main()
