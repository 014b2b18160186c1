"""A population of a million made-up individuals: built, one document attacked, and guarded in it.

    python eval/reidentification/million.py --individuals 1000000 --out /tmp/million

Every individual has 200 words: 20 from a trade's small vocabulary, the rest by Zipf's law from
200,000 made-up words. The document quotes 60 words of one of them among 240 of its own. Prints
seconds, of the processor too, and peak memory of each part; each part runs in a process of its
own, so that nothing is loaded before its time.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

WORDS, VOCABULARY, TRADES = 200, 200_000, 500
CHOSEN = 4_242


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--individuals", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, required=True, help="folder for the population")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=tuple(PARTS))
    options = parser.parse_args()
    if options.part is None:
        for part in PARTS:
            subprocess.run([sys.executable, *sys.argv, "--part", part], check=True)
    else:
        PARTS[options.part](options.out, options.individuals, options.seed)


def build(out: Path, individuals: int, seed: int) -> None:
    from intact.reidentification.building import Individual
    from intact.reidentification.building import build as write

    clock = Clock()
    people = (
        Individual(f"Q{number}", text) for number, text in enumerate(texts(individuals, seed))
    )
    found = write(people, out, spaces=("word", "pair"))
    size = sum(path.stat().st_size for path in out.iterdir())
    words = found.about["words"]
    clock.tell(part="build", individuals=found.size, words=words, disk_gb=size / 1e9)


def attack(out: Path, individuals: int, seed: int) -> None:
    from intact.reidentification.index import Population
    from intact.reidentification.ranking import rank_of, reidentifiers

    chosen, text = document(individuals, seed)
    clock = Clock()
    population = Population(out)
    found = reidentifiers(population, ["retrieval"])
    owner = population.number(f"Q{chosen}")
    assert owner is not None
    clock.tell(part="load", attackers=[each.name for each in found])
    for part in ("attack", "attack again"):
        clock = Clock()
        ranks = {each.name: rank_of(next(iter(each.scores([text]))), owner) + 1 for each in found}
        clock.tell(part=part, ranks=ranks)


def guard(out: Path, individuals: int, seed: int) -> None:
    from intact.build import build_pipeline
    from intact.config import load_settings
    from intact.domain import Document

    chosen, text = document(individuals, seed)
    pipeline = build_pipeline(
        load_settings(
            None, [f"guard.background={json.dumps(str(out))}", f"guard.protect=Q{chosen}"]
        )
    )
    for part in ("guard", "guard again"):
        clock = Clock()
        done = pipeline.sanitize(Document("d", text, ()))
        told = done.guarding
        assert told is not None
        clock.tell(
            part=part,
            protected=done.protected,
            before=dict(told.before),
            after=dict(told.after),
            steps=len(told.steps),
            words_changed=told.words_changed,
            words=told.words,
        )


PARTS = {"build": build, "attack": attack, "guard": guard}


def document(individuals: int, seed: int) -> tuple[int, str]:
    """The individual, and the document that quotes its text."""
    chosen = min(CHOSEN, individuals - 1)
    public = next(text for at, text in enumerate(texts(chosen + 1, seed)) if at == chosen)
    own = next(texts(1, seed + 1))
    words = public.split()[40:100] + own.split() + own.split()[::-1][:40]
    text = ". ".join(" ".join(words[at : at + 12]) for at in range(0, len(words), 12)) + "."
    return chosen, text


def texts(individuals: int, seed: int) -> Iterator[str]:
    """Made-up texts, the same for the same seed, however many are taken."""
    import numpy as np

    vocabulary = np.array([spelled(number) for number in range(VOCABULARY)])
    weights = 1 / np.arange(10, VOCABULARY + 10)
    steps = np.cumsum(weights / weights.sum())
    random = np.random.default_rng(seed)
    for start in range(0, individuals, 1000):
        drawn = np.searchsorted(steps, random.random((1000, WORDS)))
        trades = random.integers(0, TRADES, 1000)
        drawn[:, :20] = 1000 + trades[:, None] * 40 + random.integers(0, 40, (1000, 20))
        drawn = np.minimum(drawn, VOCABULARY - 1)
        for row in drawn[: individuals - start]:
            yield " ".join(vocabulary[row])


def spelled(number: int) -> str:
    """A made-up word: four consonants and vowels or more."""
    consonants, vowels = "bcdfghjklmnprstvz", "aeiou"
    word = ""
    for _ in range(3):
        number, at = divmod(number, len(consonants) * len(vowels))
        word += consonants[at // len(vowels)] + vowels[at % len(vowels)]
    return word


class Clock:
    """Seconds since it was made, and what the process has taken."""

    def __init__(self) -> None:
        self._wall, self._processor = time.monotonic(), time.process_time()

    def tell(self, **figures: object) -> None:
        """Prints figures with the seconds and the peak of memory, mapped files included."""
        figures["seconds"] = time.monotonic() - self._wall
        figures["processor_seconds"] = time.process_time() - self._processor
        figures["peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        shown = {k: round(v, 2) if isinstance(v, float) else v for k, v in figures.items()}
        print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main()
