import re

import numpy as np
import pytest

from intact.errors import ModelError
from intact.models.local import Decoding, Vocabulary
from intact.protocols import CompletionRequest

PIECES = [
    b"a",
    b" b",
    b"\n",
    b".\n",
    b"\n\n",
    b" ",
    b"end",
    b"\x0b",
    b":",
    b" x:",
    b"]:\n",
    b"",
    "é".encode()[:1],
    b"cc\n",
]
WORDS = Vocabulary(PIECES, frozenset({6}), frozenset({11}))


def run(request: CompletionRequest, seed: int, vocabulary: Vocabulary = WORDS) -> Decoding:
    noise = np.random.default_rng(seed)
    answer = Decoding(request, vocabulary)
    while not answer.done:
        logits = noise.normal(0, 3, len(vocabulary.pieces)).astype(np.float32)
        answer.take(logits)
    return answer


@pytest.mark.parametrize("lines", [1, 3, 5])
@pytest.mark.parametrize("extra", [0, 1, 7, 60])
@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_exactly_so_many_lines_whatever_the_budget(
    lines: int, extra: int, temperature: float
) -> None:
    for seed in range(30):
        request = CompletionRequest(
            "", "", lines=lines, max_tokens=2 * lines + extra, temperature=temperature, seed=seed
        )
        done = run(request, seed).completion()
        rows = done.text.split("\n")
        assert len(rows) == lines
        assert all(row.strip() and not row.endswith(":") for row in rows)
        assert done.finished


def test_a_line_is_never_longer_than_the_rule_allows() -> None:
    only_a = np.array([9, -9, *[0] * (len(PIECES) - 2)], np.float32)
    answer = Decoding(CompletionRequest("", "", lines=2, max_tokens=500), WORDS)
    while not answer.done:
        answer.take(only_a)
    assert [len(row) for row in answer.completion().text.split("\n")] == [80, 80]


def test_free_text_ends_at_the_stop_token_or_at_the_budget() -> None:
    stop = np.array([*[0] * 6, 9, *[0] * (len(PIECES) - 7)], np.float32)
    answer = Decoding(CompletionRequest("", "", max_tokens=3), WORDS)
    answer.take(stop)
    assert answer.done and answer.finished and answer.completion().text == ""
    answer = Decoding(CompletionRequest("", "", max_tokens=3), WORDS)
    while not answer.done:
        answer.take(-stop)
    assert not answer.finished and answer.completion().answer_tokens == 3


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    requests = [
        CompletionRequest("", "", max_tokens=40, temperature=1.0, seed=s) for s in (1, 1, 2)
    ]
    one, same, other = (run(request, 5).tokens for request in requests)
    assert one == same != other


def test_top_k_draws_follow_the_probabilities() -> None:
    logits = np.log(np.array([0.7, 0.2, 0.1] + [1e-9] * (len(PIECES) - 3), np.float32))
    draws = []
    for seed in range(600):
        answer = Decoding(CompletionRequest("", "", temperature=1.0, seed=seed), WORDS)
        draws.append(answer.take(logits))
    assert 0.6 < draws.count(0) / 600 < 0.8
    assert set(draws) <= {0, 1, 2}


def test_a_vocabulary_without_line_breaks_is_refused_by_name() -> None:
    bare = Vocabulary([b"a", b"b"], frozenset(), frozenset())
    with pytest.raises(ModelError, match="no token for a line break"):
        run(CompletionRequest("", "", lines=2), 0, bare)


LETTERS = Vocabulary(
    [bytes([letter]) for letter in b"abcdeghinorstuwxyz0123456789:, []\n"] + [b"yes", b" no", b""],
    frozenset({37}),
    frozenset(),
)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("request_", "pattern"),
    [
        (CompletionRequest("", "", 1, ("yes", "no")), "yes|no"),
        (CompletionRequest("", "", 2, ("yes", "no")), "(yes|no)\n(yes|no)"),
        (
            CompletionRequest("", "", 1, ("true, is", "no"), ("1", "12")),
            "1: (true, is|no)\n12: (true, is|no)",
        ),
        (CompletionRequest("", "", 2, (), ("3", "7")), r"\[3\]\n.+\n.+\n\[7\]\n.+\n.+"),
        (CompletionRequest("", "", 1, (), ("3", "7")), r"3: .*\n7: .*"),
    ],
)
def test_choices_and_the_names_of_parts_are_kept_to(request_, pattern, seed) -> None:
    text = run(request_, seed, LETTERS).completion().text
    assert re.fullmatch(pattern, text), text
