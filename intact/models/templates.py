"""Chat templates: one user message -> the text a model was trained to answer.

Templates are Jinja, as model files carry them, and run in a sandbox. Everything goes into one
user message, because some templates refuse a system message and others drop it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from intact.errors import ConfigError, MissingExtraError, ModelError

FAMILIES: dict[str, str] = {
    "chatml": (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{{ '<|im_start|>assistant\n' }}"
    ),
    "mistral": "{{ bos_token }}{% for m in messages %}[INST] {{ m.content }} [/INST]{% endfor %}",
    "llama3": (
        "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>"
        "\n\n{{ m.content }}<|eot_id|>{% endfor %}"
        "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}"
    ),
    "gemma": (
        "{{ bos_token }}{% for m in messages %}<start_of_turn>{{ m.role }}\n{{ m.content }}"
        "<end_of_turn>\n{% endfor %}{{ '<start_of_turn>model\n' }}"
    ),
}
_PROBE = "0f8c27"
_WHERE = "setting model.template"


class ChatTemplate:
    """A checked chat template.

    Args:
        source: the Jinja text.
        bos: the text of the token that begins a prompt, "" if there is none.
        eos: the text of the token that ends one.

    Raises:
        ModelError: if the template cannot be rendered with one user message.
    """

    def __init__(self, source: str, bos: str = "", eos: str = "") -> None:
        try:
            from jinja2 import TemplateError
            from jinja2.sandbox import ImmutableSandboxedEnvironment
        except ImportError:
            raise MissingExtraError.of("jinja2", "llm") from None
        self._names = {"bos_token": bos, "eos_token": eos}
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals |= {"raise_exception": _refuse, "strftime_now": _no_clock}
        try:
            self._template = environment.from_string(source)
            rendered = self.render(_PROBE)
        except (TemplateError, ModelError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(
                f"the chat template cannot be used ({type(error).__name__})",
                where=_WHERE,
                remedy=f"Set model.template to one of {', '.join(FAMILIES)}, or to a file.",
            ) from None
        if _PROBE not in rendered:
            raise ModelError(
                "the chat template drops the user's message",
                where=_WHERE,
                remedy=f"Set model.template to one of {', '.join(FAMILIES)}, or to a file.",
            )

    def render(self, content: str) -> str:
        """The whole prompt of one user message, up to where the answer begins."""
        return str(
            self._template.render(
                messages=[{"role": "user", "content": content}],
                add_generation_prompt=True,
                enable_thinking=False,
                tools=None,
                **self._names,
            )
        )


def choose_template(setting: str, own: str | None) -> str:
    """The Jinja text that ``model.template`` asks for.

    Args:
        setting: "" for the model's own, the name of a family, or a file.
        own: the model's own template, if it has one.

    Raises:
        ModelError: the model has none and none is set.
        ConfigError: neither a family nor a readable file.
    """
    if not setting:
        if own:
            return own
        raise ModelError(
            "the model file has no chat template",
            where=_WHERE,
            remedy=f"Set model.template to the model's family: {', '.join(FAMILIES)}, or a file.",
        )
    if setting in FAMILIES:
        return FAMILIES[setting]
    try:
        return Path(setting).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ConfigError(
            f"{setting!r} is neither a readable file nor one of {', '.join(FAMILIES)}",
            where=_WHERE,
        ) from None


class ControlWords:
    """Keeps a message from holding the model's own control words."""

    def __init__(self, words: Iterable[str]) -> None:
        real = sorted(
            {word for word in words if len(word) > 1}, key=lambda word: (-len(word), word)
        )
        self._pattern = re.compile("|".join(map(re.escape, real))) if real else None

    def escape(self, content: str) -> str:
        """``content`` with a space after the first character of each control word."""
        if self._pattern is None:
            return content
        escaped = self._pattern.sub(lambda match: f"{match[0][0]} {match[0][1:]}", content)
        while escaped != content:
            content = escaped
            escaped = self._pattern.sub(lambda match: f"{match[0][0]} {match[0][1:]}", content)
        return escaped


def _refuse(message: str) -> Any:
    raise ModelError(f"the chat template refuses the message: {message[:80]}")


def _no_clock(_format: str) -> str:
    """Templates that print today's date get none: the same input has the same prompt."""
    return ""
