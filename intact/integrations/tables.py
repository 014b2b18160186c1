"""INTACT on a column of a table: a pandas data frame, a data set of Ray, and anything else that has
batches (Spark's ``mapInPandas``).

``BatchSanitizer`` needs no Ray. For files on a cluster there is ``intact sanitize --on ray``.

    >>> done = BatchSanitizer("text")(frame)  # with a status for each row  # doctest: +SKIP
    >>> safe = BatchSanitizer("text", workers=8).map_dataset(dataset)  # of Ray  # doctest: +SKIP"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import partial
from typing import Any

from intact import errors
from intact.config import Config, load_settings
from intact.formats import outcome
from intact.formats.mentions import load
from intact.pipeline import build_pipeline
from intact.run.work import Performers, shared_out
from intact.sanitizing import Pipeline


def _is_missing(value: object) -> bool:
    """Tell whether a cell is empty: None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


_ROWS = 64
COLUMNS = ("sanitized_text", "intact_status", "intact_error", "intact_edits")


@dataclass
class BatchSanitizer:
    """Sanitises a column of a batch: a dict of columns, a pandas data frame or an Arrow table.

    Returns as many rows as it gets, with ``COLUMNS`` added and the column itself left out. No
    document raises an error: its row states what is wrong. It can be pickled; the pipeline is made
    when the first batch comes. A wrong configuration is a ``ConfigError``.

    Args:
        column: the name of the column with the texts.
        mentions: the name of a column with each text's mentions, as JSONL has them or as their
            JSON; without one they are detected.
        config: a preset's name, a TOML file, ready settings, or None.
        overrides: settings that replace those, such as ``"attack.max_risk=0.3"``.
        keep_original: whether ``column`` (and ``mentions``) stay in the batch, beside the safe
            text.
        workers: how many such objects work at once; they share ``model.parallel``.
        allow_remote: whether ``model.url`` may be that of another machine.
    """

    column: str = "text"
    mentions: str | None = None
    config: Config = None
    overrides: Sequence[str] = ()
    _: KW_ONLY
    keep_original: bool = False
    workers: int = 1
    allow_remote: bool = False

    def __post_init__(self) -> None:
        settings = load_settings(self.config, self.overrides, allow_remote=self.allow_remote)
        self._settings, self._at_once = shared_out(settings, self.workers)
        self._performers: Performers | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to be pickled, without the workers, which every process makes for
        itself."""
        return self.__dict__ | {"_performers": None}

    def __call__(self, batch: Any) -> Any:
        """Return a batch of the same kind with the sanitised texts and a status for each row
        (``COLUMNS``), in order; without the originals, unless they are to be kept. A text that
        cannot be sanitised raises nothing: its row says so. Raise a ``ModelError`` if the model's
        server cannot be reached."""
        if self._performers is None:
            factory = partial(build_pipeline, self._settings)
            self._performers = Performers(factory, at_once=self._at_once, perform=_row)
        texts = _cells(batch[self.column])
        mentions = _cells(batch[self.mentions]) if self.mentions else [None] * len(texts)
        begun = [*map(self._performers.begin, zip(texts, mentions, strict=True))]
        rows = [result() for result in begun]
        added = {name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)}
        inputs = () if self.keep_original else (self.column, self.mentions)
        names = batch.column_names if hasattr(batch, "append_column") else batch
        return _replaced(batch, {*inputs, *COLUMNS} & {*names}, added)

    def map_dataset(self, dataset: Any) -> Any:
        """Return a Ray data set with a column sanitised and ``COLUMNS`` added; it is worked on
        lazily, as Ray Data does, with ``workers`` actors.

        The same as ``dataset.map_batches(BatchSanitizer, ...)``, except that blocks are small
        enough for all workers to get some, and processors are left for the tasks that read and
        write. Rows may come in another order. Raises a ``MissingExtraError`` without Ray.
        """
        ray, workers = errors.require("ray"), self.workers
        processors = ray.cluster_resources().get("CPU", 1.0) if ray.is_initialized() else workers
        return dataset.repartition(target_num_rows_per_block=_ROWS).map_batches(
            BatchSanitizer,
            fn_constructor_kwargs={one.name: getattr(self, one.name) for one in fields(self)},
            batch_size=_ROWS // 4,
            batch_format="pyarrow",
            num_cpus=min(0.5, max(0.01, round(processors / 2 / workers, 2))),
            compute=errors.require("ray.data").ActorPoolStrategy(size=workers),
        )


def _row(cells: tuple[Any, Any], pipeline: Pipeline) -> tuple[str | None, ...]:
    """Return the cells of ``COLUMNS`` for one (text, mentions): the sanitised text, the status
    "done", "failed" or "unprotected", what is wrong, and the edits as JSON. None stands for a cell
    without a value; a missing text is "done", without edits. Raise an ``IntactError`` if what is
    wrong is not the document's fault."""
    text, raws = cells
    if _is_missing(text):
        return None, "done", None, "[]"
    try:
        given = [] if _is_missing(raws) else raws if isinstance(raws, str) else [*raws]
        document = load("text", text, given, "").document
        done = pipeline.sanitize(replace(document, annotated=bool(document.mentions)))
    except Exception as error:  # noqa: BLE001  (whatever is raised, Ray would log)
        failure = errors.from_exception(error, "")
        if not isinstance(failure, errors.InputError | errors.ContextError | errors.InternalError):
            raise failure from None  # it is not the document's fault
        return None, "failed", str(failure), None
    if not done.protected:
        return None, "unprotected", None, None
    return done.text, "done", None, json.dumps(outcome.edit_items(done.edits))


def _cells(column: Any) -> list[Any]:
    """Return the cells of one column, a pandas series, an Arrow array or any sequence, as a
    list."""
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column)


def _replaced(batch: Any, dropped: set[str], added: Mapping[str, list[str | None]]) -> Any:
    """Return a table of the same kind (Arrow table, pandas data frame, dict of columns) without
    some columns and with others added at its end.

    Args:
        batch: the table.
        dropped: names of columns.
        added: the cells of each column by its name.
    """
    if hasattr(batch, "append_column"):
        pyarrow = errors.require("pyarrow")
        batch = batch.drop_columns(sorted(dropped))
        for name, cells in added.items():
            batch = batch.append_column(name, pyarrow.array(cells, pyarrow.string()))
        return batch
    if hasattr(batch, "assign"):
        return batch.drop(columns=sorted(dropped)).assign(**added)
    return {name: cells for name, cells in batch.items() if name not in dropped} | dict(added)
