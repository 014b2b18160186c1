"""The transformers backend: any causal language model in a folder, in 4 bits where that works.

The library renders the prompt, draws the tokens and keeps the memory, line by line. What questions
share is read once.
"""

from collections.abc import Sequence
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from intact.config import ModelSettings
from intact.errors import ConfigError, MissingExtraError, ModelError
from intact.models import local
from intact.models.load import locate, model_signature
from intact.protocols import Completion, CompletionRequest

_BREAKS = ("\n", "Ċ", "<0x0A>")  # as vocabularies write line breaks


class TransformersModel(local.LocalModel):
    """A model in a folder of Hugging Face's format. Raises a ``ModelError`` if it cannot be loaded,
    a ``ConfigError`` if there is no such folder, and a ``MissingExtraError`` if transformers or
    PyTorch is not installed."""

    def __init__(self, settings: ModelSettings) -> None:
        for package in ("transformers", "torch"):
            if find_spec(package) is None:
                raise MissingExtraError.of(package, "transformers")
        path = locate(settings)
        if not (path / "config.json").is_file():
            problem = f"{path} is no model folder (it has no config.json)"
            raise ConfigError(problem, where="setting model.path")
        self._tokenizer, self._model = _load(path)
        self._escape = local.control_words(self._tokenizer.all_special_tokens)
        template = local.read_template(settings.template)

        def render(content: str) -> str:
            """Return the prompt that asks the model to answer a user's message."""
            message = {"role": "user", "content": content}
            options: dict[str, Any] = {"chat_template": template, "tokenize": False}
            options |= {"add_generation_prompt": True, "enable_thinking": False}
            options["strftime_now"] = lambda _: ""  # no clock: the same input, the same prompt
            return str(self._tokenizer.apply_chat_template([message], **options))

        known = template or self._tokenizer.chat_template
        self._render = local.checked_template(lambda: render if known else None)
        own = self._model.config.get_text_config()
        self._trained = int(getattr(own, "max_position_embeddings", settings.context))
        self.context_length = min(settings.context, self._trained)
        ends = self._model.generation_config.eos_token_id
        ends = [ends] if isinstance(ends, int) else ends or ()
        self._ends = list(dict.fromkeys((*ends, self._tokenizer.eos_token_id)))
        self._never = sorted({*self._ends, *self._tokenizer.all_special_ids})
        names = enumerate(self._tokenizer.convert_ids_to_tokens(range(len(self._tokenizer))))
        self._breaks = [at for at, name in names if any(sign in (name or "") for sign in _BREAKS)]
        self._prefix: tuple[list[int], Any] = ([], None)  # the last one, and its memory
        self.name, self.signature = path.name, model_signature(settings)

    def close(self) -> None:
        """Free the model."""
        self._model, self._prefix = None, ([], None)

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Return one completion for each request, in order. Raise a ``ContextError`` if one does
        not fit the context, a ``ModelError`` if the graphics card's memory runs out."""
        import torch

        prompts = self._prompts(requests)
        try:
            with torch.inference_mode(), torch.random.fork_rng():
                return [self._answer(*each) for each in zip(requests, prompts, strict=True)]
        except torch.OutOfMemoryError:
            problem = "the graphics card's memory ran out"
            raise ModelError(problem, where="setting model.context") from None

    def _answer(self, request: CompletionRequest, prompt: list[int]) -> Completion:
        """Return the answer to a question: a line for each place, then, unless lines are all that
        is wanted, what the model adds. It counts as finished if the model ended it or if places
        were asked about.

        Args:
            request: the question.
            prompt: the tokens of its prompt.
        """
        import torch

        torch.manual_seed(request.seed)
        memory, kept = self._read_prefix(self._prompt(request.prefix), prompt)
        self.read += len(prompt) - kept
        tokens, said, end = list(prompt), "", len(prompt) + request.max_tokens
        ended = False
        for due, place in zip(range(len(request.places), 0, -1), request.places, strict=False):
            tokens += self._tokens(f"{place} |")
            begin = len(tokens)
            # the line says something, and ends by its own
            held = {"stop_strings": ["\n"], "tokenizer": self._tokenizer}
            held |= {"suppress_tokens": self._never, "begin_suppress_tokens": self._breaks}
            most = min(end - begin - local.LINE_TOKENS * due + 4, request.line_tokens)
            tokens = self._write(request, memory, tokens, most, held)
            line, broken, _ = self._tokenizer.decode(tokens[begin:]).partition("\n")
            tokens += () if broken else self._tokens("\n")
            said += f"{place} |{line}\n"
        begin = len(tokens)
        if begin < end and not request.only:
            tokens = self._write(request, memory, tokens, end - begin, {})
            ended = tokens[-1] in self._ends
            said += self._tokenizer.decode(tokens[begin:], skip_special_tokens=True)
        written = len(tokens) - len(prompt) - ended
        self.written += written
        return Completion(said.rstrip("\n"), ended or bool(request.places), len(prompt), written)

    def _write(
        self, request: CompletionRequest, memory: Any, tokens: list[int], most: int, held: Any
    ) -> list[int]:
        """Let the model continue a row of tokens. Return the row with the tokens that it adds, at
        least one.

        Args:
            request: with the temperature.
            memory: of the first tokens of the row, as ``_read_prefix`` returns it.
            tokens: the row: prompt and answer so far.
            most: how many tokens may be added.
            held: further options of the library's ``generate``, which hold the answer to its form.
        """
        import torch

        drawn: dict[str, Any] = {"do_sample": False, "max_new_tokens": max(1, most)}
        if request.temperature > 0.0:
            drawn |= {"do_sample": True, "temperature": request.temperature}
            drawn |= {"top_k": local.TOP_K, "top_p": local.TOP_P}
        ids = torch.tensor([tokens], device=self._model.device)
        known = {"attention_mask": torch.ones_like(ids), "past_key_values": memory}
        ends = {"eos_token_id": self._ends, "pad_token_id": self._ends[0]}
        done = self._model.generate(ids, **known, **ends, **drawn, **held)
        return [int(token) for token in done[0]]

    def _read_prefix(self, prefix: list[int], prompt: list[int]) -> tuple[Any, int]:
        """Read the tokens that a prompt shares with its prefix into memory, unless they are those
        of the last question, whose memory is kept. Return a copy of that memory, and the number of
        its tokens; (None, 0) if they share none.

        Args:
            prefix: the tokens of a prompt that holds nothing but the prefix.
            prompt: the tokens of the whole prompt.
        """
        import torch

        shared = min(local.common_length(prefix, prompt), len(prompt) - 1)
        if not shared:
            return None, 0
        if self._prefix[0] != prompt[:shared]:
            ids = torch.tensor([prompt[:shared]], device=self._model.device)
            done = self._model(input_ids=ids, use_cache=True, logits_to_keep=1)
            self._prefix = prompt[:shared], done.past_key_values
            self.read += shared
        return deepcopy(self._prefix[1]), shared

    def _tokens(self, text: str) -> list[int]:
        return [int(t) for t in self._tokenizer(text, add_special_tokens=False)["input_ids"]]


def _load(path: Path) -> tuple[Any, Any]:
    """Load the tokenizer and the model of a folder, and return both: in 4 bits with bitsandbytes
    and CUDA, in 16 with CUDA alone, else in 32. Raise a ``ModelError`` if they cannot be loaded."""
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
        why = f"({type(error).__name__}: {str(error)[:200]})"
        problem, where = f"transformers cannot load the folder {why}", f"model.path, {path.name}"
        raise ModelError(problem, where=f"setting {where}") from None
    return tokenizer, model.eval()
