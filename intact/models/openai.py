"""A model behind an OpenAI-compatible server (vLLM, llama-server, Ollama, SGLang).

Any host but this machine needs ``allow_remote``, because originals are sent to it.
Prompts begin with what they share, and one request of each prefix goes first, so that a server
that keeps prefixes reads each once. Features that a server refuses are left out from then on.
"""

from __future__ import annotations

import ipaddress
import logging
import math
import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx

from intact.config import ModelSettings
from intact.errors import ConfigError, ContextError, ModelError
from intact.protocols import Completion, CompletionRequest, ScoreRequest

DEFAULT_URL = "http://127.0.0.1:8080/v1"
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_REFUSED = frozenset({400, 422})
_LONGEST_WAIT = 30.0
_OPTIONAL = {"grammar": ("grammar",), "logprobs": ("logprobs", "top_logprobs"), "seed": ("seed",)}
_WHERE = "setting model.url"
_BYTES = re.compile(r"^bytes:(?:\\x[0-9a-f]{2})+$")


class OpenAIModel:
    """A model that a server runs.

    Args:
        settings: section ``model``.
        signature: of the model.
        sleep: waits between tries; replaced in tests.

    Raises:
        ConfigError: the address is none, or of another machine and that is not allowed.
    """

    def __init__(
        self,
        settings: ModelSettings,
        signature: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        url = settings.url or DEFAULT_URL
        local = is_loopback(url)
        if not local and not settings.allow_remote:
            raise ConfigError(
                f"{urlsplit(url).hostname} is another machine, and would be sent the originals",
                where=_WHERE,
                remedy="If you want that, say --allow-remote (in Python allow_remote=True).",
            )
        if not local:
            logging.getLogger("intact").warning(
                "model.url is not on this machine: documents with all they hold are sent to %s",
                urlsplit(url).hostname,
            )
        key = os.environ.get(settings.api_key_env, "")
        self._client = httpx.Client(
            base_url=url.rstrip("/") + "/",
            timeout=settings.timeout,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            trust_env=not local,  # no proxy comes between this machine and itself
            limits=httpx.Limits(max_connections=settings.parallel),
        )
        self._pool = ThreadPoolExecutor(settings.parallel, thread_name_prefix="intact-http")
        self._features = [name for name in _OPTIONAL if name != "grammar" or settings.grammar]
        self._render = _renderer(settings.template)
        self.scores = self._render is not None
        self.name = settings.name or "server"
        self.signature = signature
        self.context_length = settings.context
        self.read = self.written = 0

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """An upper estimate: two and a half characters a token, fewer outside Latin script."""
        return [math.ceil(max(len(text) / 2.5, len(text.encode()) / 3)) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """One completion per request; see ``LanguageModel``."""
        return self._all(requests, self._complete)

    def score(self, requests: Sequence[ScoreRequest]) -> Sequence[tuple[float, ...]]:
        """Log-probabilities of alternatives, by having the server echo them.

        Raises:
            ModelError: the server cannot, or no chat template is set.
        """
        return self._all(requests, self._score)

    def close(self) -> None:
        """End all connections."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    def _all(self, requests: Sequence[Any], one: Callable[[Any], Any]) -> list[Any]:
        """One result per request: the first of each prefix, then the others together."""
        firsts: dict[str, int] = {}
        for index, request in enumerate(requests):
            firsts.setdefault(request.prefix, index)
        results: dict[int, Any] = {}
        for indexes in (
            list(firsts.values()),
            sorted(set(range(len(requests))) - {*firsts.values()}),
        ):
            futures = {index: self._pool.submit(one, requests[index]) for index in indexes}
            try:
                results |= {index: future.result() for index, future in futures.items()}
            except BaseException:
                for future in futures.values():
                    future.cancel()
                raise
        return [results[index] for index in range(len(requests))]

    def _complete(self, request: CompletionRequest) -> Completion:
        body: dict[str, Any] = {
            "messages": [{"role": "user", "content": request.prefix + request.question}],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "grammar": line_grammar(request.lines) if request.lines else None,
            "logprobs": True,
            "top_logprobs": 1,
            "seed": request.seed,
            "stream": False,
        }
        answer = self._post("chat/completions", body)
        try:
            choice = answer["choices"][0]
            text = choice["message"]["content"] or ""
            if not isinstance(text, str):
                raise TypeError
            usage = answer.get("usage") or {}
            prompt, written = (
                int(usage.get("prompt_tokens", 0)),
                int(usage.get("completion_tokens", 0)),
            )
            logprobs = _line_logprobs(choice.get("logprobs"), text)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise self._garbage() from None
        self.read, self.written = self.read + prompt, self.written + written
        finished = choice.get("finish_reason") != "length"
        return Completion(text.rstrip("\n"), finished, prompt, written, logprobs)

    def _score(self, request: ScoreRequest) -> tuple[float, ...]:
        if self._render is None:
            raise ModelError(
                "a server scores only text whose chat template is known here",
                where="setting model.template",
                remedy="Set it to the model's family, or attack.kind=guess.",
            )
        prompt = self._render(request.prefix + request.question)
        return tuple(self._echo(prompt, alternative) for alternative in request.alternatives)

    def _echo(self, prompt: str, alternative: str) -> float:
        body = {
            "prompt": prompt + alternative,
            "max_tokens": 1,
            "temperature": 0.0,
            "echo": True,
            "logprobs": 1,
        }
        answer = self._post("completions", body)
        try:
            found = answer["choices"][0]["logprobs"]
            return _sum_of_tail(found["tokens"], found["token_logprobs"], alternative)
        except (KeyError, IndexError, TypeError, ValueError):
            raise ModelError(
                "the server gives no log-probabilities of a prompt",
                where=_WHERE,
                remedy="Set attack.kind=guess and leave model.template empty.",
            ) from None

    # -- one request ----------------------------------------------------------------------

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The server's answer; tries again, later and later, what may succeed the next time."""
        problem = ""
        for attempt in range(self._settings.retries + 1):
            if attempt:
                self._sleep(min(_LONGEST_WAIT, 0.5 * 2 ** (attempt - 1)))
            try:
                response = self._send(path, body)
            except httpx.TimeoutException:
                problem = f"no answer within {self._settings.timeout:g} s"
                continue
            except httpx.HTTPError as error:
                problem = f"the connection failed ({type(error).__name__})"
                continue
            if response.status_code in _RETRIED:
                problem = f"status {response.status_code}"
                continue
            if response.is_success:
                try:
                    answer = response.json()
                except ValueError:
                    problem = "an answer that is no JSON"
                    continue
                if isinstance(answer, dict):
                    return answer
                raise self._garbage()
            raise self._refusal(response)
        tries = self._settings.retries + 1
        raise ModelError(
            f"the server failed {tries} times, lastly: {problem}",
            where=_WHERE,
            remedy="Is it running there? See also model.timeout and model.retries.",
        )

    def _send(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """One request; a feature that is refused is dropped and the request sent again."""
        while True:
            features = list(self._features)
            chat = "messages" in body
            left_out = {
                key for name in _OPTIONAL if name not in features for key in _OPTIONAL[name]
            }
            sent = {
                key: value
                for key, value in body.items()
                if value is not None and not (chat and key in left_out)
            }
            if self._settings.name:
                sent["model"] = self._settings.name
            response = self._client.post(path, json=sent)
            refused = response.status_code in _REFUSED and not _is_context(response)
            dropped = next((name for name in features if name in sent), None)
            if not refused or not chat or dropped is None:
                return response
            if dropped in self._features:
                self._features.remove(dropped)
                logging.getLogger("intact").info("the server refuses %r; left out", dropped)

    def _refusal(self, response: httpx.Response) -> ModelError:
        if _is_context(response):
            return ContextError(
                "the server says that a prompt is too long for its context",
                where="setting model.context",
                remedy="Set it to the server's context length.",
            )
        hints = {
            401: "Set the environment variable that model.api_key_env names.",
            403: "Set the environment variable that model.api_key_env names.",
            404: "model.url must end where /chat/completions begins, often in /v1; "
            "model.name must be a model that the server has.",
        }
        return ModelError(
            f"the server refuses with status {response.status_code}",
            where=_WHERE,
            remedy=hints.get(response.status_code, "See the server's log."),
        )

    def _garbage(self) -> ModelError:
        return ModelError(
            "the server's answer is not what OpenAI's interface prescribes",
            where=_WHERE,
            remedy="Is this an OpenAI-compatible server?",
        )


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine.

    Raises:
        ConfigError: it is no address.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{url!r} is no address", where=_WHERE, remedy=f"Like {DEFAULT_URL}")
    if parts.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def line_grammar(lines: int) -> str:
    """GBNF for exactly so many lines, none empty, none longer than 80 characters."""
    rows = ' "\\n" '.join(["line"] * lines)
    return f"root ::= {rows}\nline ::= [^\\n\\r\\t ] [^\\n\\r]{{0,79}}\n"


def _renderer(template: str) -> Callable[[str], str] | None:
    if not template:
        return None
    from intact.models.templates import ChatTemplate, choose_template

    return ChatTemplate(choose_template(template, None)).render


def _is_context(response: httpx.Response) -> bool:
    if response.status_code not in (400, 413, 422):
        return False
    text = response.text[:2000].lower()
    return "context" in text and ("length" in text or "window" in text or "exceed" in text)


def _sum_of_tail(
    tokens: Sequence[str], logprobs: Sequence[float | None], alternative: str
) -> float:
    """The log-probability of the alternative at the end of an echoed prompt.

    Servers disagree on whether the one token generated after it is listed too.

    Raises:
        ValueError: the echo does not end with the alternative.
    """
    wanted = _bare(alternative)
    pairs = [(_bare(token), logprob) for token, logprob in zip(tokens, logprobs, strict=True)]
    if not "".join(token for token, _ in pairs).endswith(wanted):
        pairs = pairs[:-1]
        if not "".join(token for token, _ in pairs).endswith(wanted):
            raise ValueError
    total, length = 0.0, 0
    within = alternative[:1] != wanted[:1]  # it begins with a letter of several bytes
    while length < len(wanted) or (within and pairs and not pairs[-1][0]):
        token, logprob = pairs.pop()
        if logprob is None:
            raise ValueError
        total += logprob
        length += len(token)
    return total


def _bare(text: str) -> str:
    """The plain characters of ``text``: servers write parts of all others each in its own way."""
    return "".join(letter for letter in _BYTES.sub("", text) if letter.isascii())


def _line_logprobs(raw: Any, text: str) -> tuple[float, ...]:
    """The sums of the tokens' log-probabilities, line by line; nothing if they do not fit."""
    content = raw.get("content") if isinstance(raw, dict) else None
    if not content:
        return ()
    sums = [0.0]
    for item in content:
        sums[-1] += float(item["logprob"])
        sums += [0.0] * str(item["token"]).count("\n")
    lines = text.rstrip("\n").count("\n") + 1
    return tuple(sums[:lines]) if len(sums) >= lines else ()
