"""Work grows in step with the length of a text, whatever the text is.

What regular expressions cost is measured in seconds, by eval/performance/repeats.py; here by how
much longer they take for a longer text.
"""

from time import process_time

import pytest

from eval.performance.repeats import NUMBERED, REPEATS, repeated
from intact.detection.names import names_by_form, parted
from intact.detection.patterns import PatternFinder
from intact.detection.tagger import WINDOW, load_tagger
from intact.domain import Span
from intact.english.scan import find_days
from tests.work import count_calls


@pytest.mark.parametrize("repeat", [*REPEATS, *NUMBERED])
def test_five_times_the_text_is_less_than_ten_times_the_work(rules, repeat):
    rules.detect("Mr Ian Berg came to London on 3 May 2001 and paid EUR 30 for a hundred pens.")
    short, long = repeated(repeat, 2_000), repeated(repeat, 10_000)
    small = count_calls(lambda: rules.detect(short))
    assert count_calls(lambda: rules.detect(long)) < 10 * small


@pytest.mark.parametrize(
    "repeat",
    [" ", "1-", "1 ", "may ", " owes 1912;", "\nDebt: 1912", "a", "ACGT", "A'", "A-"],
)
@pytest.mark.parametrize(
    "work",
    [
        PatternFinder().find,
        lambda text: [*find_days(text)],
        lambda text: [*names_by_form(text, ())],
        lambda text: parted(text, Span(0, len(text))),
    ],
)
def test_patterns_take_four_times_as_long_for_four_times_the_text(work, repeat):
    """A pattern that looks ahead of each place to the end would take sixteen times as long."""

    def seconds(length):
        text, took = f"Ann{repeat * (length // len(repeat))}x", []
        for _ in range(3):
            before = process_time()
            work(text)
            took.append(process_time() - before)
        return min(took)

    work("warm")
    assert seconds(60_000) < 8 * max(seconds(15_000), 0.001)


def test_the_tagger_reads_equal_windows_once(monkeypatch):
    tagger = load_tagger()
    read = []
    compute = tagger.network.read

    def count(outputs, **inputs):
        read.append(inputs["ids"].shape)
        return compute(outputs, **inputs)

    monkeypatch.setattr(tagger.network, "read", count)
    tagger.find("Then Ann went home. " * 1500)
    assert len(read) < 20 and max(read) <= (1, WINDOW + 2)
