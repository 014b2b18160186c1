"""The language-model engine against the published scheme: tokens read, time, memory, parse rate.

    python eval/performance/llm.py [--model FILE.gguf] [--threads 2] [--sample 4]
    python eval/performance/llm.py --documents examples/*.json

The document is synthetic: 1,200 tokens, 50 entities, 110 candidates (two or three each). Outcomes
are planned as published for TAB: 53 % of the entities stop at their first candidate, 22 % end on
the label. The plan decides the outcomes, the model does all the work. Without ``--model`` the
weights are random and of the shape of Qwen2-0.5B, Q4_0: that is enough for speed and says nothing
of quality.

The reference scheme is the published one on the same engine: one prompt of instructions, example
and whole document for each candidate of each span, the target marked in place, nothing kept
between prompts, one answer of 60 tokens at a time. Its tokens are counted for all 110 prompts;
its time is measured on an even sample of them (``--sample``) and multiplied.

``--documents`` counts prompt tokens on real documents instead, with the knowledge base's candidates
and the same plan of outcomes (four characters a token, no model): for an engine that keeps
prefixes, and for a server that reads each prompt anew.

``--cpu --threads 1`` measures processor seconds instead of wall time, which other work on the
machine hardly changes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from random_gguf import HALF_BILLION, TINY, write_model

from intact.api import load
from intact.config import ModelSettings, Settings, load_settings
from intact.discourse.things import States
from intact.domain import Answer, Candidate, Challenge, Document, Entity, Guess, Mention, Span
from intact.english.reading import ReadDocument
from intact.models.llamacpp import LlamaModel
from intact.models.prompts import Prompts, load_prompts
from intact.models.trial import TrialModel
from intact.pipeline import build_pipeline
from intact.planning.ladder import labels
from intact.planning.rules.wording import rewriter_of
from intact.protocols import Attacker, CompletionRequest
from intact.shipped import resource_dir
from intact.verification.matching import Matching
from intact.verification.model_attacker import LlmAttacker
from intact.verification.rounds import RoundsSelector

ENTITIES, TOKENS = 50, 1200
PLAN = (0,) * 26 + (1,) * 13 + (3,) * 11  # rungs that entities lose; 3: all
REFERENCE_ANSWER, SHORT_ANSWER = 60, 20
_KINDS = ("LOC", "ORG", "DEM", "MISC", "QUANTITY")
_SENTENCE = "In that year she went to {0} and stayed there for some time, as {1} had asked of her. "
_PHRASES = ("a town in the east", "a public body", "a private company", "a kind of school")
_EXAMPLE = (
    "You get a text in which one phrase in double square brackets stands for a private detail. "
    "Guess the detail from the text. Write five guesses, one per line, the most likely first, "
    "after a hyphen each. For dates write day, month in words, and year. Nothing else.\n"
    "Text: PERSON_1 (the 1920s - 2020) was a scholar. She taught at [[a university in "
    "Scotland]] until she retired, and wrote about poets.\nGuesses:\n- University of Edinburgh\n"
    "- University of Glasgow\n- University of St Andrews\n- University of Dundee\n"
    "- University of Aberdeen\nNow the same for this text.\nText: "
)


class Clock:
    """Wall time, or this process's processor time."""

    cpu = False

    def __call__(self) -> float:
        """Seconds since some moment."""
        return time.process_time() if self.cpu else time.perf_counter()


CLOCK = Clock()


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a scheme: prompt tokens read, tokens written, seconds, answers, answers parsed."""

    read: int
    written: int
    seconds: float
    answers: int = 0
    parsed: int = 0


class Planned(Attacker):
    """Has the real attacker do its work, then answers as planned."""

    name = "planned"

    def __init__(self, attacker: LlmAttacker, plan: Mapping[str, tuple[bool, str]]) -> None:
        self._attacker = attacker
        self._plan = plan
        self.answers = self.parsed = self.rounds = 0

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        """Guessed or not by plan; the model's answers are only counted."""
        self.rounds += 1
        answers = self._attacker.attack(challenges)
        self.answers += len(answers)
        self.parsed += sum(answer.parsed for answer in answers)
        verdicts = [self._plan.get(one.replacement, (False, "")) for one in challenges]
        return [Answer((Guess(original, 0),) if falls else ()) for falls, original in verdicts]


def phrase(number: int, rung: int) -> str:
    """A candidate of five words or less, another for every entity and rung."""
    return f"{_PHRASES[(number + rung) % len(_PHRASES)]} {number}{'abcde'[rung]}"


def synthetic(model: LlamaModel) -> tuple[Document, dict[str, tuple[Candidate, ...]]]:
    """The document, 1,200 tokens with its replacements, and the ladders of its entities."""
    text = ""
    mentions = []
    for number in range(0, ENTITIES, 2):
        names = [f"Name{n:02d}ville" for n in (number, number + 1)]
        sentence = _SENTENCE.format(*names)
        for offset, name in enumerate(names):
            at = len(text) + sentence.index(name)
            key, kind = f"e{number + offset:02d}", _KINDS[(number + offset) % len(_KINDS)]
            mentions.append(Mention(key, Span(at, at + len(name)), name, key, kind))
        text += sentence
    extra = sum(model.count([phrase(n, 0)])[0] for n in range(ENTITIES))
    extra -= sum(model.count([mention.text])[0] for mention in mentions)
    while model.count([text])[0] + extra < TOKENS:
        text += "The court heard the case and gave judgment on it in May. "
    ladders = {
        f"e{number:02d}": tuple(
            Candidate(phrase(number, rung), rung, "knowledge") for rung in range(rungs(number))
        )
        for number in range(ENTITIES)
    }
    return Document("synthetic", text, tuple(mentions)), ladders


def rungs(number: int) -> int:
    """Return the number of candidates of an entity: three every fifth, else two."""
    return 3 if number % 5 == 0 else 2


def falls(number: int) -> int:
    """Return the number of rungs that an entity loses; spread over the document."""
    return PLAN[number * 17 % ENTITIES]


def reference(model: LlamaModel, document: Document, ladders: Any, sample: int) -> Cost:
    """The published scheme; time from a sample of its prompts, tokens from all of them."""
    prompts = [
        _EXAMPLE + _marked(document.entities, document.text, ladders, number, rung) + "\nGuesses:\n"
        for number in range(ENTITIES)
        for rung in range(rungs(number))
    ]
    tokens = sum(len(model._prompt(prompt)) for prompt in prompts)
    chosen = prompts[len(prompts) // (2 * sample) :: max(1, len(prompts) // sample)][:sample]
    began = CLOCK()
    for prompt in chosen:
        forget(model)
        model.complete(
            [CompletionRequest("", prompt, max_tokens=REFERENCE_ANSWER, temperature=0.3)]
        )
    seconds = (CLOCK() - began) / len(chosen) * len(prompts)
    return Cost(tokens, REFERENCE_ANSWER * len(prompts), seconds, len(prompts))


def forget(model: LlamaModel) -> None:
    """Empty the model's memory."""
    model._memory.forget()
    model._memory._states.clear()


def _marked(entities: Sequence[Entity], text: str, ladders: Any, target: int, rung: int) -> str:
    """The document with each entity's first candidate, the target's marked in place."""
    for number, entity in reversed(list(enumerate(entities))):
        span = entity.mentions[0].span
        phrase = ladders[entity.id][rung if number == target else 0].text
        shown = f"[[{phrase}]]" if number == target else phrase
        text = text[: span.start] + shown + text[span.end :]
    return text


def ours(
    model: LlamaModel,
    prompts: Prompts,
    document: Document,
    ladders: Any,
    answer_tokens: int,
) -> tuple[Cost, int]:
    """Selection in rounds with our attacker; also the number of rounds."""
    settings = Settings()
    plan = {
        candidate.text: (candidate.rank < falls(number), f"Name{number:02d}ville")
        for number, ladder in enumerate(ladders.values())
        for candidate in ladder
    }
    attacker = Planned(
        LlmAttacker(model, prompts, settings.attack),
        plan,
    )
    selector = RoundsSelector([attacker], Matching(), labels, settings)
    forget(model)
    read, written = model.read, model.written
    began = CLOCK()
    selector.select(rewriter_of(ReadDocument(document), States()), ladders)
    seconds = CLOCK() - began
    cost = Cost(
        model.read - read, model.written - written, seconds, attacker.answers, attacker.parsed
    )
    return cost, attacker.rounds


def on_documents(files: Sequence[Path]) -> list[tuple[str, str, str, bool]]:
    """The rows of the table for real documents: prompt tokens of all rounds."""
    rows = []
    for name, url in (("engine that keeps prefixes", ""), ("server", "http://127.0.0.1")):
        settings = load_settings()
        pipeline, prompts = build_pipeline(settings), load_prompts()
        base = spent = entities = rounds = 0
        for document in (one for file in files for one in load(file)):
            model = TrialModel(ModelSettings(backend="dry-run", context=32_000, url=url))
            ladders = pipeline.plan(document).plan.ladders
            own = [entity for entity in document.entities if entity.id in ladders]
            plan, prompt = {}, len(_EXAMPLE) + len(document.text)
            for number, entity in enumerate(own):
                lost = PLAN[number * 17 % ENTITIES]
                base += prompt // 4 * min(lost + 1, len(ladders[entity.id]))
                for candidate in ladders[entity.id]:
                    falls_here = candidate.rank < lost or lost == max(PLAN)
                    plan[candidate.text] = (falls_here, entity.mentions[0].text)
            attacker = LlmAttacker(model, prompts, settings.attack)
            planned = Planned(attacker, plan)
            selector = RoundsSelector([planned], Matching(), labels, settings)
            selector.select(rewriter_of(ReadDocument(document), States()), ladders)
            spent, entities = spent + model.read, entities + len(own)
            rounds += planned.rounds
        ratio = base / spent
        figure = f"{spent} of {base} = 1/{ratio:.1f} ({entities} entities, {rounds} rounds)"
        rows.append((f"prompt tokens, real documents, {name}", figure, "<= 1/30", ratio >= 30))
    return rows


def throughput(model: LlamaModel, document: Document, count: int = 8) -> float:
    """Tokens a second of answers over the document, once it has been read."""
    request = CompletionRequest(document.text, "guess:\n", max_tokens=32, temperature=0.3)
    model.complete([replace(request, max_tokens=1)])
    began, written = CLOCK(), model.written
    model.complete([replace(request, seed=seed) for seed in range(count)])
    return (model.written - written) / (CLOCK() - began)


def memory(path: Path, threads: int) -> dict[str, float]:
    """GB of this process: with the model alone, and at most, with 8k tokens read."""
    model = LlamaModel(ModelSettings(context=8192, threads=threads), path)
    alone = _status("VmRSS")
    filler = "The court heard the case and gave judgment on it in May. "
    [size] = model.count([filler])
    prefix = filler * ((8192 - 200) // size)
    requests = [
        CompletionRequest(prefix, "guess:\n", max_tokens=8, seed=seed) for seed in range(16)
    ]
    model.complete(requests)
    return {"alone": alone, "peak": _status("VmHWM")}


def _status(key: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024 / 1e9
    return float("nan")


def model_file(given: Path | None, tiny: bool) -> Path:
    """The model asked for, or the random one, made once and kept in the cache folder."""
    if given is not None:
        return given
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "intact"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"random-qwen2-{'tiny' if tiny else '0.5b'}-q4_0.gguf"
    if not path.is_file():
        print(f"writing {path}", flush=True)
        texts = [file.read_text("utf-8") for file in resource_dir("prompts").glob("*.toml")]
        texts += [_SENTENCE, _EXAMPLE, *_PHRASES] * 3
        write_model(path, TINY if tiny else HALF_BILLION, corpus=texts)
    return path


def main() -> None:
    """Run everything in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", type=int, default=4, help="reference prompts that are timed")
    parser.add_argument("--tiny", action="store_true", help="a tiny model: token counts only")
    parser.add_argument("--cpu", action="store_true", help="processor seconds, not wall time")
    parser.add_argument("--skip-memory", action="store_true")
    parser.add_argument("--documents", type=Path, nargs="+", help="count on these instead")
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        print(json.dumps(memory(arguments.memory_of, arguments.threads)))
        return
    if arguments.documents:
        show(on_documents(arguments.documents))
        return
    CLOCK.cpu = arguments.cpu
    path = model_file(arguments.model, arguments.tiny)
    started = CLOCK()
    model = LlamaModel(ModelSettings(context=4096, threads=arguments.threads), path)
    print(f"{path.name}: loaded in {CLOCK() - started:.1f} s, load {os.getloadavg()}")
    prompts = load_prompts()
    document, ladders = synthetic(model)
    rows = measure(model, prompts, document, ladders, arguments.sample)
    model.close()
    if not arguments.skip_memory:
        rows.append(_memory_row(path, arguments.threads))
    show(rows)


def show(rows: Sequence[tuple[str, str, str, bool]]) -> None:
    """Print the table."""
    for name, figure, bound, met in rows:
        print(f"{'ok  ' if met else 'MISS'} {name:<58} {figure:<34} {bound}")


def measure(
    model: LlamaModel, prompts: Prompts, document: Document, ladders: Any, sample: int
) -> list[tuple[str, str, str, bool]]:
    """The rows of the table, memory apart."""
    model.complete([CompletionRequest("", "warm up", max_tokens=4)])
    base = reference(model, document, ladders, sample)
    print(
        f"reference: {base.answers} prompts, {base.read} tokens, {base.seconds:.0f} s", flush=True
    )
    rows = []
    for name, length, bound in (
        ("guess, answers of 60 tokens", REFERENCE_ANSWER, 9),
        ("guess, early stopping (20 tokens)", SHORT_ANSWER, 20),
    ):
        cost, rounds = ours(model, prompts, document, ladders, length)
        note = f"{cost.answers} attacks in {rounds} rounds"
        print(f"{name}: {note}, {cost}", flush=True)
        ratio = base.read / cost.read
        if length == REFERENCE_ANSWER:
            figure = f"{cost.read} of {base.read} = 1/{ratio:.1f}"
            rows.append(("prompt tokens, all rounds", figure, "<= 1/30", ratio >= 30))
            share = 100 * cost.parsed / cost.answers
            rows.append(("answers that parse", f"{share:.1f} %", "100 %", share == 100))
        speed = base.seconds / cost.seconds
        figure = f"{cost.seconds:.1f} of {base.seconds:.0f} s = 1/{speed:.1f}"
        rows.append((f"time, {name}", figure, f"<= 1/{bound}", speed >= bound))
    speed = throughput(model, document)
    rows.append(("answers, tokens a second", f"{speed:.0f}", "", True))
    return rows


def _memory_row(path: Path, threads: int) -> tuple[str, str, str, bool]:
    command = [sys.executable, __file__, "--memory-of", str(path), "--threads", str(threads)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    over = found["peak"] - found["alone"]
    figure = f"{over:.2f} GB"
    return ("memory over the model's own, 8k context", figure, "<= 1.5 GB", over <= 1.5)


if __name__ == "__main__":
    main()
