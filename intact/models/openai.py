"""A model behind an OpenAI-compatible server (vLLM, llama-server, Ollama, SGLang, a hosted API).

Any host except this machine needs ``allow_remote``, because originals are sent to it. One request
with each prefix is sent first, so that a server that caches prefixes reads each once. A harmless
question shows which fields a server accepts, and whether its answers follow a JSON schema.
"""

import logging
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition, Lock
from typing import Any
from urllib.parse import urlsplit

import httpx

from intact.config import ModelSettings
from intact.english.vocabulary import vocabulary
from intact.errors import ConfigError, ContextError, ModelError
from intact.models.load import DEFAULT_URL, model_signature
from intact.models.reading import JSON_REMARK, json_schema
from intact.offline import is_loopback
from intact.protocols import Completion, CompletionRequest

_LOG = logging.getLogger("intact")
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_CRASHED = frozenset({500, 501})
_ENDED = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
RETRIES = 9  # how often a failed request is repeated: about three minutes
_LONGEST_WAIT, _LONGEST_ASKED = 60.0, 600.0
_TRIES_UNREACHED = 3
_WHERE = "setting model.url"
_REMOTE = "model.url is not on this machine: documents with all they hold are sent to %s"
_REFUSED: Mapping[str, str] = vocabulary("texts")["refused_with"]  # status -> what to do about it
_CODE = re.compile(r"[\w.\-\[\]]{1,60}")
_HARMLESS = CompletionRequest(
    "", "Name two colours, one a line: its number, a bar, the colour.", places=(1, 2), max_tokens=64
)


class ServerFields:
    """The optional fields that a server accepts. Fields that it refuses are given up, one by
    one."""

    def __init__(self, settings: ModelSettings) -> None:
        # what is sent, and what is tried after that; the likeliest to be refused first
        self.optional: dict[str, list[Any]] = {
            "response_format": [None],
            "chat_template_kwargs": [{"enable_thinking": False}],  # vLLM, SGLang, llama-server
            "reasoning_effort": ["none", "minimal", "low"],  # Ollama, hosted APIs
            "seed": [0],
            "max_tokens": [0],  # else max_completion_tokens
            "temperature": [0.0],
        }
        for name in settings.extra.keys() - {"response_format", "max_tokens"}:
            self.optional.pop(name, None)
        self._extra = dict(settings.extra)
        self._thoughts = settings.thinking_tokens

    @property
    def schema(self) -> bool:
        """Tell whether answers are held to a JSON schema."""
        return "response_format" in self.optional

    def body(self, request: CompletionRequest) -> dict[str, Any]:
        """Return the JSON object with which a server is asked a question: the message, the optional
        fields that it has not refused, with a JSON schema where a line for each place is wanted,
        and the user's own fields, which replace all others of their names. The request's limit of
        tokens is raised by those for thoughts and for JSON. The name of the model is not in it."""
        question, room = request.prefix + request.question, request.max_tokens + self._thoughts
        own: dict[str, Any] = {"seed": request.seed, "temperature": request.temperature}
        if request.places and self.schema:
            question, room = question + JSON_REMARK, room + 16 + 8 * len(request.places)
            described = {"name": "answer", "strict": True, "schema": json_schema(request)}
            own["response_format"] = {"type": "json_schema", "json_schema": described}
        own["max_tokens"] = room
        sent = {name: own.get(name, values[0]) for name, values in self.optional.items()}
        body = {name: value for name, value in sent.items() if value is not None}
        if "max_tokens" not in body:
            body["max_completion_tokens"] = room
        messages = [{"role": "user", "content": question}]
        return body | {"stream": False, "messages": messages} | self._extra

    def give_up(self, problem: dict[str, Any]) -> bool:
        """Leave out the field that the server's error names or, if it names none, the one that is
        likeliest to be refused; of a field that is named, the next value is tried first. Return
        False if no field is left.

        Args:
            problem: the error, as ``_problem`` returns it.
        """
        said = f"{problem.get('param') or ''} {problem.get('message') or ''}".lower()
        said = said.replace("json_schema", "response_format")
        named = sorted((name for name in self.optional if name in said), key=said.find)
        name = next(iter((*named, *self.optional)), "")
        if not name:
            return False
        self.optional[name].pop(0)
        if not named or not self.optional[name]:
            del self.optional[name]
        _LOG.info("the server refuses %r; left out", name)
        return True


class Gate:
    """Lets a number of requests through at a time; only half as many after each ``narrow``, which
    is for a server that reports too many, and one more again after every 20 that have ended."""

    def __init__(self, most: int) -> None:
        self._most = self._open = most
        self._inside = self._smooth = 0
        self._changed = Condition()

    @contextmanager
    def through(self) -> Iterator[None]:
        """Wait until fewer requests are through than are let through, and count as one until the
        block ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._inside < self._open)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._smooth += 1
                if self._smooth >= 20 and self._open < self._most:
                    self._open, self._smooth = self._open + 1, 0
                self._changed.notify()

    def narrow(self) -> None:
        """Let only half as many through, but at least one, until enough requests have ended (see
        ``Gate``)."""
        with self._changed:
            self._open, self._smooth = max(1, self._open // 2), 0


class OpenAIModel:
    """A model that a server runs. Raises a ``ConfigError`` if the address is none, or is that of
    another machine and this is not allowed."""

    def __init__(
        self, settings: ModelSettings, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._settings, self._sleep = settings, sleep
        url = settings.url or DEFAULT_URL
        local, host = is_local_url(url), urlsplit(url).hostname
        if not local and not settings.allow_remote:
            problem = f"{host} is another machine, and would be sent the originals"
            raise ConfigError(problem, where=_WHERE)
        if not local:
            _LOG.warning(_REMOTE, host)
        key = os.environ.get(settings.api_key_env, "")
        self._client = httpx.Client(
            base_url=url.rstrip("/") + "/",
            timeout=settings.timeout,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            trust_env=not local,  # no proxy comes between this machine and itself
            limits=httpx.Limits(max_connections=settings.parallel),
        )
        self._pool = ThreadPoolExecutor(settings.parallel, thread_name_prefix="intact-http")
        self._gate = Gate(settings.parallel)
        self._fields = ServerFields(settings)
        self._tried = self._reached = False
        self._trying = Lock()
        self.name = settings.name or "server"
        self.signature = model_signature(settings)
        self.context_length = settings.context
        self.read = self.written = self.retried = 0

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return an upper estimate of each text's tokens: one for two and a half characters, or for
        three bytes in UTF-8, whichever gives more."""
        return [math.ceil(max(len(text) / 2.5, len(text.encode()) / 3)) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Return one completion for each request, in order; one that the server refused has no text
        and says why. The first request with each prefix is sent before the others. Raise a
        ``ModelError`` if the server fails for good, a ``ContextError`` if a prompt is too long."""
        if requests:
            self._try_out()
        prefixes = [request.prefix for request in requests]
        first = [prefixes.index(prefix) for prefix in dict.fromkeys(prefixes)]
        results: dict[int, Completion] = {}
        for indexes in (first, sorted(set(range(len(requests))).difference(first))):
            answers = self._pool.map(self._complete, [requests[index] for index in indexes])
            results |= zip(indexes, answers, strict=True)  # an error cancels those after it
        return [results[index] for index in range(len(requests))]

    def close(self) -> None:
        """Close all connections."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    def _try_out(self) -> None:
        """Find out, once, with a harmless question, which optional fields the server accepts, and
        leave the others out from then on; the JSON schema, too, if the server does not heed it.
        Raise a ``ModelError`` if it refuses for another reason."""
        with self._trying:
            while not self._tried:
                response = self._send(self._fields.body(_HARMLESS), probing=True)
                if _is_refused(response) or response.status_code in _CRASHED:
                    problem = _problem(response)
                    ended = _is_context(response) or problem.get("code") in _ENDED
                    if ended or not self._fields.give_up(problem):
                        raise self._refusal(response)
                    continue
                text = self._completion(response).text
                if self._fields.schema and text.lstrip()[:1] != "{":
                    del self._fields.optional["response_format"]  # taken, and not heeded
                else:
                    self._tried = True
            held = "by JSON schema" if self._fields.schema else "by nothing"
            _LOG.info("answers are held to their shape %s", held)

    def _complete(self, request: CompletionRequest) -> Completion:
        """Ask the server one question, and return its answer, its tokens counted; of a refusal, one
        without text that says why. Raise a ``ContextError`` if the prompt is too long for the
        server, a ``ModelError`` if the server fails for good."""
        response = self._send(self._fields.body(request))
        if _is_refused(response):
            if _is_context(response):
                raise self._refusal(response)
            return Completion("", refused=_describe_refusal(response))
        done = self._completion(response)
        self.read, self.written = self.read + done.prompt_tokens, self.written + done.answer_tokens
        return done

    def _completion(self, response: httpx.Response) -> Completion:
        """Return the answer that a response holds, with its tokens; without text, and with the
        reason in ``refused``, if the model or a filter refused. Raise a ``ModelError`` if the
        response reports an error, or is not what OpenAI's interface prescribes."""
        answer = _json(response) or {}
        if not response.is_success or "error" in answer:
            raise self._refusal(response)
        try:
            choice, usage = answer["choices"][0], answer.get("usage") or {}
            said, ended = choice["message"], choice.get("finish_reason")
            text = str.rstrip(said.get("content") or "", "\n")  # a TypeError if it is no text
            refused = said.get("refusal") and "refusal"
            kinds = "prompt_tokens", "completion_tokens"
            prompt, written = (int(usage.get(kind, 0)) for kind in kinds)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            problem = "the server's answer is not what OpenAI's interface prescribes"
            raise ModelError(problem, where=_WHERE) from None
        if ended == "content_filter" or refused:
            return Completion("", True, prompt, written, refused=refused or ended)
        return Completion(text, ended != "length", prompt, written)

    def _send(self, body: dict[str, Any], probing: bool = False) -> httpx.Response:
        """Send a question and return the server's response, also one that refuses; if it fails in a
        way that may pass, try again after longer and longer waits, and raise a ``ModelError`` after
        the last try.

        Args:
            body: of the question, as ``ServerFields.body`` makes it.
            probing: whether to return a server error that comes twice, because a field may have
                caused it.
        """
        sent = body | ({"model": self._settings.name} if self._settings.name else {})
        attempt = 0
        while True:
            wait, tries = min(_LONGEST_WAIT, 0.5 * 2**attempt), RETRIES + 1
            try:
                with self._gate.through():
                    response = self._client.post("chat/completions", json=sent)
                self._reached = True
                problem = _fault(response)
                if not problem or _problem(response).get("code") in _ENDED:
                    return response
                if probing and attempt and response.status_code in _CRASHED:
                    return response
                if response.status_code in (429, 529):
                    self._gate.narrow()
                asked = response.headers.get("retry-after", "")  # seconds, or a date
                wait = max(wait, min(float(asked), _LONGEST_ASKED) if asked.isdecimal() else 0.0)
            except httpx.HTTPError as error:
                late = isinstance(error, httpx.TimeoutException)
                problem = f"the connection failed ({type(error).__name__})"
                if late:
                    problem = f"no answer within {self._settings.timeout:g} s"
                if not self._reached and (not late or isinstance(error, httpx.ConnectTimeout)):
                    tries = _TRIES_UNREACHED
            attempt += 1
            if attempt >= tries:
                problem = f"the server failed {attempt} times, lastly: {problem}"
                raise ModelError(problem, where=_WHERE)
            self.retried += 1
            self._sleep(wait)

    def _refusal(self, response: httpx.Response) -> ModelError:
        """Make the error for a response that refuses: a ``ContextError`` if the prompt is too long,
        else a ``ModelError`` with the status and what to do about it."""
        if _is_context(response):
            problem = "the server says that a prompt is too long for its context"
            return ContextError(problem, where="setting model.context")
        problem = f"the server refuses with {_describe_refusal(response)}"
        return ModelError(problem, where=_WHERE, remedy=_REFUSED.get(str(response.status_code), ""))


def is_local_url(url: str) -> bool:
    """Tell whether an address is on this machine; raise a ``ConfigError`` if it is no address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{url!r} is no address", where=_WHERE, remedy=f"Like {DEFAULT_URL}")
    return is_loopback(parts.hostname)


def _json(response: httpx.Response) -> dict[str, Any] | None:
    """Return the object that a response holds, {} if it holds another value; None if it is not
    JSON."""
    try:
        value = response.json()
    except ValueError:
        return None
    return value if isinstance(value, dict) else {}


def _problem(response: httpx.Response) -> dict[str, Any]:
    """Return the error that a response reports, with "message", "type", "param" and "code" as far
    as it gives them; of an error that is only text, that is the message. A body without an error
    is returned itself; {} if it is no JSON object."""
    answer = _json(response) or {}
    error = answer.get("error", answer.get("detail", answer))
    return error if isinstance(error, dict) else {"message": str(error)}


def _describe_refusal(response: httpx.Response) -> str:
    """Describe a refusal by its status, code, type and parameter: "status 429, code
    insufficient_quota"; "an error" in place of a status that reports success. Its message is left
    out, as it may quote our request."""
    problem = _problem(response)
    said = [f"status {response.status_code}"] if not response.is_success else ["an error"]
    for key in ("code", "type", "param"):
        value = str(problem.get(key) or "")
        if _CODE.fullmatch(value) and value != str(response.status_code):
            said.append(f"{key} {value}")
    return ", ".join(said)


def _fault(response: httpx.Response) -> str:
    """Describe the fault of a response if a new try may succeed; "" if there is none."""
    body = _json(response)
    if body is None and response.is_success:
        return "an answer that is no JSON"
    failed = response.is_success and body and "error" in body and "choices" not in body
    return _describe_refusal(response) if failed or response.status_code in _RETRIED else ""


def _is_refused(response: httpx.Response) -> bool:
    """Tell whether a response refuses this one question, by its status: 400, 413 or 422."""
    return response.status_code in (400, 413, 422)


def _is_context(response: httpx.Response) -> bool:
    """Tell whether a response refuses a prompt because it is too long, by its status (as
    ``_is_refused``) and the words of its body."""
    text = response.text[:2000].lower()
    signs = ("length", "window", "exceed")
    return _is_refused(response) and "context" in text and any(sign in text for sign in signs)
