"""INTACT on a column of a pandas data frame.

>>> frame["text"] = sanitize_column(frame["text"])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.api import link_mentions
from intact.build import build_pipeline
from intact.config import Settings, load_settings
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
            (``[{"start", "end", "type"}, ...]``); without it they are detected.
        config: a preset's name, a TOML file, ready settings, or None.
        overrides: settings on top, such as ``"attack.max_risk=0.3"``.

    Raises:
        ConfigError: for a wrong configuration.
        DocumentError: if a value is no text, or mentions do not fit it; names the row.
    """
    settings = config if isinstance(config, Settings) else load_settings(config, overrides)
    given = [None] * len(texts) if mentions is None else list(mentions)
    with closing(build_pipeline(settings)) as pipeline:
        sanitize = pipeline.sanitize_raw if mentions is None else pipeline.sanitize
        done = []
        for label, text, raws, missing in zip(texts.index, texts, given, texts.isna(), strict=True):
            if missing:
                done.append(text)
                continue
            layer = Layer(raws if raws is not None else [])
            document = load(str(label), text, layer, f"row {label}").document
            if not any("entity_id" in raw for raw in layer.raws):
                document = link_mentions(document)
            done.append(sanitize(document).text)
    return texts.__class__(done, index=texts.index, name=texts.name, dtype=texts.dtype)
