"""The transformers backend: any causal language model in a folder, 4-bit where that works.

A prefix is read once and its keys and values are kept; questions of equal length branch from
them together. The sampler and the line rule are the ones of llama.cpp's backend.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.config import ModelSettings
from intact.errors import ConfigError, ContextError, MissingExtraError, ModelError
from intact.models.sampling import Decoding, Vocabulary, check_budget, common_length, log_totals
from intact.models.templates import ChatTemplate, ControlWords, choose_template
from intact.protocols import Completion, CompletionRequest, ScoreRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TransformersModel:
    """A model in a folder of Hugging Face's format.

    Args:
        settings: section ``model``.
        path: the folder.
        signature: of the model.

    Raises:
        MissingExtraError: transformers, torch, bitsandbytes or peft is needed and not installed.
        ModelError: the folder cannot be loaded.
    """

    def __init__(self, settings: ModelSettings, path: Path, signature: str = "") -> None:
        for package in ("transformers", "torch"):
            if find_spec(package) is None:
                raise MissingExtraError.of(package, "transformers")
        if not (path / "config.json").is_file():
            raise ConfigError(
                f"{path} is no model folder (it has no config.json)",
                where="setting model.path",
                remedy="For a GGUF file set model.backend=llamacpp.",
            )
        self._settings = settings
        self._tokenizer, self._model = _load(settings, path)
        end = str(self._tokenizer.eos_token or "")
        source = choose_template(settings.template, _own_template(self._tokenizer))
        self._template = ChatTemplate(source, str(self._tokenizer.bos_token or ""), end)
        self._words = ControlWords(self._tokenizer.all_special_tokens)
        self._vocabulary = _vocabulary(self._tokenizer, self._model)
        trained = int(getattr(self._model.config, "max_position_embeddings", settings.context))
        self.context_length = min(settings.context, trained)
        self.scores = True
        self.name = path.name
        self.signature = signature
        self.read = self.written = 0
        self._prefix: list[int] = []
        self._cache: Any = None

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        return [len(self._tokens(self._words.escape(text))) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """One completion per request; see ``LanguageModel``."""
        answers = []
        prompts = []
        for request in requests:
            check_budget(request)
            tokens = self._tokens(self._prompt(request.prefix + request.question))
            self._check(len(tokens) + request.max_tokens)
            prompts.append((request.prefix, tokens))
            answers.append(
                Decoding(request, self._vocabulary, len(tokens), grammar=self._settings.grammar)
            )
        for shared, indexes in self._batches(prompts):
            self._decode([prompts[i][1] for i in indexes], shared, [answers[i] for i in indexes])
        return [answer.completion() for answer in answers]

    def score(self, requests: Sequence[ScoreRequest]) -> Sequence[tuple[float, ...]]:
        """Log-probability of each alternative as the beginning of the answer."""
        rows: list[tuple[str, list[int]]] = []
        starts: list[int] = []
        for request in requests:
            prompt = self._prompt(request.prefix + request.question)
            whole = self._tokens(prompt)
            wholes = [self._tokens(prompt + self._words.escape(a)) for a in request.alternatives]
            start = max(1, min(common_length(whole, tokens) for tokens in wholes))
            rows += [(request.prefix, tokens) for tokens in wholes]
            starts += [start] * len(wholes)
            self._check(max(map(len, wholes)))
        scores = [0.0] * len(rows)
        for shared, indexes in self._batches(rows):
            for index, score in zip(
                indexes,
                self._teach([rows[i][1] for i in indexes], shared, [starts[i] for i in indexes]),
                strict=True,
            ):
                scores[index] = score
        left = iter(scores)
        return [tuple(next(left) for _ in request.alternatives) for request in requests]

    def close(self) -> None:
        """Free the model."""
        self._model = self._cache = None
        self._prefix = []

    # -- prompts --------------------------------------------------------------------------

    def _prompt(self, content: str) -> str:
        return self._template.render(self._words.escape(content))

    def _tokens(self, text: str) -> list[int]:
        return [int(t) for t in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def _check(self, tokens: int) -> None:
        if tokens > self.context_length:
            raise ContextError(
                f"a prompt and its answer take {tokens} tokens, "
                f"the context is {self.context_length}",
                where="setting model.context",
                remedy="Raise it, or take a model with a longer context.",
            )

    def _batches(self, rows: Sequence[tuple[str, list[int]]]) -> Iterator[tuple[int, list[int]]]:
        """Rows that share a prefix and are equally long, after that prefix has been read."""
        bases = {prefix: self._tokens(self._prompt(prefix)) for prefix, _ in rows}
        groups: dict[tuple[int, ...], dict[int, list[int]]] = {}
        for index, (prefix, tokens) in enumerate(rows):
            shared = min(common_length(bases[prefix], tokens), len(tokens) - 2)
            lengths = groups.setdefault(tuple(tokens[: max(shared, 0)]), {})
            lengths.setdefault(len(tokens), []).append(index)
        for shared_tokens, lengths in groups.items():
            self._read_prefix(list(shared_tokens))
            for indexes in lengths.values():
                for start in range(0, len(indexes), self._settings.parallel):
                    yield len(shared_tokens), indexes[start : start + self._settings.parallel]

    # -- the network ----------------------------------------------------------------------

    def _read_prefix(self, tokens: list[int]) -> None:
        """Have the cache hold exactly ``tokens``; only what follows the first change is read."""
        kept = common_length(self._prefix, tokens)
        if kept < len(self._prefix):
            try:
                self._cache.crop(kept)
            except (AttributeError, ValueError, NotImplementedError):
                kept, self._cache = 0, None
            if kept == 0:
                self._cache = None
        self._prefix = list(tokens)
        if kept < len(tokens):
            self.read += len(tokens) - kept
            _, self._cache = self._forward([tokens[kept:]], self._cache)

    def _forward(self, rows: list[list[int]], cache: Any) -> tuple[NDArray[np.float32], Any]:
        """Logits after every token, shape (rows, tokens, vocabulary), and the longer cache."""
        import torch

        ids = torch.tensor(rows, device=self._model.device)
        try:
            with torch.inference_mode():
                done = self._model(input_ids=ids, past_key_values=cache, use_cache=True)
        except torch.OutOfMemoryError:
            raise ModelError(
                "the graphics card's memory ran out",
                where="settings model.parallel, model.context",
                remedy="Lower them, or set model.precision=nf4.",
            ) from None
        return done.logits.float().cpu().numpy(), done.past_key_values

    def _branch(self, count: int) -> Any:
        if self._cache is None:
            return None
        cache = copy.deepcopy(self._cache)
        cache.batch_repeat_interleave(count)
        return cache

    def _decode(self, prompts: list[list[int]], shared: int, answers: list[Decoding]) -> None:
        self.read += sum(len(tokens) - shared for tokens in prompts)
        logits, cache = self._forward([t[shared:] for t in prompts], self._branch(len(prompts)))
        live = list(answers)
        while True:
            last = logits[:, -1]
            totals = log_totals(last)
            for row, answer in enumerate(live):
                answer.take(last[row], totals[row])
            going = [row for row, answer in enumerate(live) if not answer.done]
            if not going:
                return
            if len(going) < len(live):
                import torch

                cache.batch_select_indices(torch.tensor(going, device=self._model.device))
                live = [live[row] for row in going]
            self.written += len(live)
            logits, cache = self._forward([[answer.tokens[-1]] for answer in live], cache)

    def _teach(self, rows: list[list[int]], shared: int, starts: list[int]) -> list[float]:
        self.read += sum(len(tokens) - shared for tokens in rows)
        logits, _ = self._forward([tokens[shared:] for tokens in rows], self._branch(len(rows)))
        scores = []
        for row, (tokens, start) in enumerate(zip(rows, starts, strict=True)):
            steps = logits[row, start - 1 - shared : -1]
            totals = log_totals(steps)
            scores.append(
                float(
                    sum(
                        float(step[token]) - total
                        for step, token, total in zip(steps, tokens[start:], totals, strict=True)
                    )
                )
            )
        return scores


def _load(settings: ModelSettings, path: Path) -> tuple[Any, Any]:
    """Tokenizer and model of a folder, in the precision asked for, adapters merged.

    Args:
        settings: precision and adapters.
        path: the model's folder.

    Raises:
        MissingExtraError: bitsandbytes or peft is needed and not installed.
        ConfigError: an adapter's folder is none.
        ModelError: the folder cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    cuda = torch.cuda.is_available()
    four_bit = settings.precision == "nf4" or (
        settings.precision == "auto" and cuda and find_spec("bitsandbytes") is not None
    )
    options: dict[str, Any] = {"local_files_only": True}
    if four_bit:
        options["quantization_config"] = _nf4(torch)
    else:
        wide = settings.precision == "float32" or (settings.precision == "auto" and not cuda)
        options["dtype"] = torch.float32 if wide else torch.bfloat16
    if cuda:
        options["device_map"] = "auto"
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
        model = AutoModelForCausalLM.from_pretrained(path, **options)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise ModelError(
            f"transformers cannot load the folder ({type(error).__name__}: {str(error)[:200]})",
            where=f"setting model.path, {path.name}",
            remedy="It must hold a causal language model and its tokenizer; "
            "for want of memory set model.precision=nf4.",
        ) from None
    for lora in settings.lora:
        model = _with_adapter(model, lora)
    return tokenizer, model.eval()


def _nf4(torch: Any) -> Any:
    if find_spec("bitsandbytes") is None:
        raise MissingExtraError.of("bitsandbytes", "transformers")
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
    )


def _with_adapter(model: Any, lora: Path) -> Any:
    if find_spec("peft") is None:
        raise MissingExtraError.of("peft", "transformers")
    from peft import PeftModel

    if not (lora / "adapter_config.json").is_file():
        raise ConfigError(
            f"{lora} is no adapter (it has no adapter_config.json)", where="setting model.lora"
        )
    return PeftModel.from_pretrained(model, lora).merge_and_unload()


def _own_template(tokenizer: Any) -> str | None:
    """The chat template in the folder, if there is one."""
    own = getattr(tokenizer, "chat_template", None)
    if isinstance(own, dict):
        own = own.get("default")
    return own if isinstance(own, str) else None


def _vocabulary(tokenizer: Any, model: Any) -> Vocabulary:
    """The bytes of every token, for byte-level and for SentencePiece vocabularies.

    Args:
        tokenizer: of transformers.
        model: of transformers; says how many logits there are.
    """
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
