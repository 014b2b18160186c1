import numpy as np
import pytest

from intact.errors import ModelError
from intact.models.local import ROW_BYTES, Decoding, Vocabulary
from intact.models.reading import by_number, read_rows
from intact.protocols import CompletionRequest

PIECES = [
    b"a", b" b", b"\n", b".\n", b"\n\n", b" ", b"end", b"\x0b", b":", b" x:", b"]:\n", b"",
    "é".encode()[:1], b"cc\n",
]  # fmt: skip
LETTERS = Vocabulary(
    [bytes([letter]) for letter in b"abcdeghinorstuwxyz0123456789:, |\n"] + [b" |", b"1", b""],
    frozenset({35}),
    frozenset(),
)
WORDS = Vocabulary(PIECES, frozenset({6}), frozenset({11}))


def run(request, seed, vocabulary=WORDS):
    noise = np.random.default_rng(seed)
    answer = Decoding(request, vocabulary)
    while not answer.done:
        logits = noise.normal(0, 3, len(vocabulary.pieces)).astype(np.float32)
        answer.take(logits)
    return answer


@pytest.mark.parametrize("places", [(7,), (1, 2, 3), (9, 10, 118, 9999)])
@pytest.mark.parametrize("extra", [0, 1, 7, 60])
@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_a_line_for_every_place_in_order_whatever_the_budget(places, extra, temperature):
    for seed in range(30):
        budget = 9 * len(places) + extra
        request = CompletionRequest("", "", places, budget, temperature, seed)
        done = run(request, seed, LETTERS).completion()
        rows = done.text.split("\n")[: len(places)]
        assert [row.partition(" |")[0] for row in rows] == [str(number) for number in places]
        assert set(by_number(read_rows(done.text), frozenset(places))) == set(places)
        assert done.finished


def test_a_line_is_never_longer_than_what_is_read():
    only_a = np.array([9, *[0] * (len(LETTERS.pieces) - 1)], np.float32)
    answer = Decoding(CompletionRequest("", "", places=(1, 2), max_tokens=900), LETTERS)
    while not answer.done:
        answer.take(only_a)
    rows = answer.completion().text.split("\n")
    assert [len(row) for row in rows[:2]] == [ROW_BYTES, ROW_BYTES]
    assert set(by_number(read_rows("\n".join(rows[:2])), frozenset({1, 2}))) == {1, 2}


def test_text_behind_the_lines_and_free_text_may_end():
    stop = np.array([9 if piece == b"" else 0 for piece in LETTERS.pieces], np.float32)
    answer = Decoding(CompletionRequest("", "", places=(1,), max_tokens=99), LETTERS)
    while not answer.done:
        answer.take(stop)
    assert answer.finished and answer.completion().text.count("\n") == 0
    stop = np.array([*[0] * 6, 9, *[0] * (len(PIECES) - 7)], np.float32)
    answer = Decoding(CompletionRequest("", "", max_tokens=3), WORDS)
    answer.take(stop)
    assert answer.done and answer.finished and answer.completion().text == ""
    answer = Decoding(CompletionRequest("", "", max_tokens=3), WORDS)
    while not answer.done:
        answer.take(-stop)
    assert not answer.finished and answer.completion().answer_tokens == 3


def test_the_same_seed_draws_the_same_and_another_does_not():
    requests = [
        CompletionRequest("", "", max_tokens=40, temperature=1.0, seed=s) for s in (1, 1, 2)
    ]
    one, same, other = (run(request, 5).tokens for request in requests)
    assert one == same != other


def test_a_vocabulary_without_line_breaks_is_refused_by_name():
    bare = Vocabulary([b"a", b"b"], frozenset(), frozenset())
    with pytest.raises(ModelError, match="no token for a line break"):
        run(CompletionRequest("", "", places=(1, 2)), 0, bare)
