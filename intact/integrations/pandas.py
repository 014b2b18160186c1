"""INTACT on a column of a pandas data frame.

>>> frame["text"] = sanitize_column(frame["text"])  # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.build import build_pipeline
from intact.config import Settings, load_settings
from intact.domain import Document
from intact.formats.json_text import parse_json
from intact.formats.mentions import Layer, load

if TYPE_CHECKING:
    import pandas as pd


def sanitize_column(
    texts: pd.Series[Any],
    mentions: pd.Series[Any] | None = None,
    config: str | Path | Settings | None = None,
    overrides: Sequence[str] = (),
) -> pd.Series[Any]:
    """The column with every text sanitised; index and name stay, missing values stay missing.

    Args:
        texts: strings.
        mentions: for each text its mentions, as JSONL has them
            (``[{"start", "end", "type"}, ...]``); where missing they are detected.
        config: a preset's name, a TOML file, ready settings, or None.
        overrides: settings on top, such as ``"attack.max_risk=0.3"``.

    Raises:
        ConfigError: for a wrong configuration.
        DocumentError: if a value is no text, or mentions do not fit it; names the row.
    """
    settings = config if isinstance(config, Settings) else load_settings(config, overrides)
    given = [None] * len(texts) if mentions is None else list(mentions)
    with closing(build_pipeline(settings)) as pipeline:
        done = [
            text
            if missing
            else pipeline.sanitize(of_row(str(label), text, raws, f"row {label}")).text
            for label, text, raws, missing in zip(
                texts.index, texts, given, texts.isna(), strict=True
            )
        ]
    return texts.__class__(done, index=texts.index, name=texts.name, dtype=texts.dtype)


def of_row(doc_id: str, text: object, raws: Any, where: str) -> Document:
    """The document in a row of a table.

    Args:
        doc_id: its id.
        text: a string.
        raws: its mentions, as JSONL has them, or as their JSON; where missing, nobody annotated it.
        where: for messages.

    Raises:
        DocumentError: if it is no text, or the mentions do not fit it.
    """
    if is_missing(raws):
        return replace(load(doc_id, text, Layer([]), where).document, annotated=False)
    layer = Layer(list(parse_json(raws.encode(), where) if isinstance(raws, str) else raws))
    return load(doc_id, text, layer, where).document


def is_missing(value: object) -> bool:
    """Whether a cell is empty: None, or the number that is none."""
    return value is None or (isinstance(value, float) and math.isnan(value))
