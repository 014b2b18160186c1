"""The base of the engines in this process."""

import pytest

from intact.errors import ContextError
from intact.models.local import LocalModel
from intact.protocols import CompletionRequest


class Letters(LocalModel):
    """Takes each letter for a token."""

    context_length, _trained = 20, 64
    _render = _escape = staticmethod(str)

    def _tokens(self, text):
        return list(map(ord, text))


def test_the_error_says_what_the_longest_prompt_needs():
    asked = [CompletionRequest("", "x" * size, max_tokens=4) for size in (18, 30, 5)]
    with pytest.raises(ContextError, match=r"take 34 tokens, the context is 20.*Raise it to 34"):
        Letters()._prompts(asked)
    assert len(Letters()._prompts(asked[2:])) == 1
