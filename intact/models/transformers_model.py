"""The transformers backend: any causal language model in a folder, 4-bit where that works.

The memory, the sampler and the row rule are the ones of llama.cpp's backend.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intact.config import ModelSettings
from intact.errors import ConfigError, MissingExtraError, ModelError
from intact.models.load import locate, model_signature
from intact.models.local import ChatTemplate, ControlWords, LocalModel, Vocabulary, choose_template


class TransformersModel(LocalModel):
    """A model in a folder of Hugging Face's format; a ``ModelError`` if it cannot be loaded."""

    def __init__(self, settings: ModelSettings) -> None:
        for package in ("transformers", "torch"):
            if find_spec(package) is None:
                raise MissingExtraError.of(package, "transformers")
        path = locate(settings)
        if not (path / "config.json").is_file():
            problem = f"{path} is no model folder (it has no config.json)"
            remedy = "For a GGUF file set model.backend=llamacpp."
            raise ConfigError(problem, where="setting model.path", remedy=remedy)
        self._tokenizer, self._model = _load(path)
        self._cache: Any = None
        begin, end = (str(t or "") for t in (self._tokenizer.bos_token, self._tokenizer.eos_token))
        own = self._tokenizer.chat_template
        source = choose_template(
            settings.template, own.get("default") if isinstance(own, dict) else own
        )
        super().__init__(
            settings,
            _vocabulary(self._tokenizer, self._model),
            ChatTemplate(source, begin, end),
            ControlWords(self._tokenizer.all_special_tokens),
            int(getattr(self._model.config, "max_position_embeddings", settings.context)),
            path.name,
            model_signature(settings),
        )

    def close(self) -> None:
        """Free the model."""
        self._model = self._cache = None
        self._memory = []

    def _tokens(self, text: str) -> list[int]:
        return [int(t) for t in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def _cut(self, length: int) -> bool:
        try:
            self._cache.crop(length - len(self._memory))  # so many fewer
        except (AttributeError, ValueError, NotImplementedError):
            self._cache = None
        return self._cache is not None

    def _feed(self, tokens: list[int]) -> NDArray[np.float32]:
        import torch

        ids = torch.tensor([tokens], device=self._model.device)
        cache, self._cache = self._cache, None
        try:
            with torch.inference_mode():
                done = self._model(input_ids=ids, past_key_values=cache, use_cache=True)
        except torch.OutOfMemoryError:
            problem = "the graphics card's memory ran out"
            remedy = "Lower it, or install bitsandbytes, with which weights take 4 bits."
            raise ModelError(problem, where="setting model.context", remedy=remedy) from None
        self._cache = done.past_key_values
        logits: NDArray[np.float32] = done.logits[0, -1].float().cpu().numpy()
        return logits


def _load(path: Path) -> tuple[Any, Any]:
    """Return tokenizer and model of a folder: 4 bits with bitsandbytes, 16 with CUDA, else 32."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

    cuda = torch.cuda.is_available()
    options: dict[str, Any] = {"local_files_only": True}
    if cuda and find_spec("bitsandbytes") is not None:
        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
        )
    else:
        options["dtype"] = torch.bfloat16 if cuda else torch.float32
    if cuda:
        options["device_map"] = "auto"
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
        model = AutoModelForCausalLM.from_pretrained(path, **options)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise ModelError(
            f"transformers cannot load the folder ({type(error).__name__}: {str(error)[:200]})",
            where=f"setting model.path, {path.name}",
            remedy="It must hold a causal language model and its tokenizer.",
        ) from None
    return tokenizer, model.eval()


def _vocabulary(tokenizer: Any, model: Any) -> Vocabulary:
    """Return the bytes of every token, for byte-level and for SentencePiece vocabularies."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    size = int(model.config.get_text_config().vocab_size)
    names = tokenizer.convert_ids_to_tokens(list(range(min(size, len(tokenizer)))))
    byte_level = any(name and "Ġ" in name for name in names)
    back = {letter: byte for byte, letter in bytes_to_unicode().items()} if byte_level else {}
    pieces = [_piece(name or "", back) for name in names] + [b""] * (size - len(names))
    special = {int(token) for token in tokenizer.all_special_ids}
    ends = model.generation_config.eos_token_id
    stops = {int(end) for end in ([ends] if isinstance(ends, int) else ends or [])}
    if tokenizer.eos_token_id is not None:
        stops.add(int(tokenizer.eos_token_id))
    return Vocabulary(pieces, frozenset(stops), frozenset(special))


def _piece(name: str, back: dict[str, int]) -> bytes:
    if back and all(character in back for character in name):
        return bytes(back[character] for character in name)
    if len(name) == 6 and name.startswith("<0x") and name.endswith(">"):
        return bytes([int(name[3:5], 16)])
    return name.replace("▁", " ").encode()
