"""Time grows in step with the length of a text, whatever the text is."""

import gc
import time

import pytest

from intact.config import load_settings
from intact.detection.tagger import load_tagger
from intact.pipeline import build_detector

REPEATS = (
    "one hundred ", "EUR ", "May ", "two ", "twenty-", "Mr A. ", "Dear ", "Ann Lee, ", "the ", "A-",
    "my a ", "old black ", "type 1 ", "London ", "1 and ", "no. 12345/07 ", "1 (", "a.", "A\n", " ",
    "1", "1,", "::", "a-", "(", "her old ", "more than ", "the applicant ",
)  # fmt: skip
NUMBERED = ("Anna {n} Lee. ", "Mr Smith{n}. ", "EUR {n}. ", "{n} May 1990. ")


def _text(repeat: str, length: int) -> str:
    if "{n}" not in repeat:
        return (repeat * (length // len(repeat) + 1))[:length]
    return "".join(repeat.format(n=n) for n in range(length // (len(repeat) - 3)))[:length]


def _seconds(work) -> float:
    gc.collect()
    gc.disable()  # its passes grow with what other tests left
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        gc.enable()


@pytest.fixture(scope="module")
def detector():
    made = build_detector(load_settings(None, ["detection.detectors=['patterns','knowledge']"]))
    made.detect("Mr Ian Berg came to London on 3 May 2001 and paid EUR 30 for a hundred pens.")
    return made


@pytest.mark.parametrize("repeat", [*REPEATS, *NUMBERED])
def test_ten_times_the_text_takes_less_than_fifteen_times_as_long(detector, repeat):
    short, long = _text(repeat, 3_000), _text(repeat, 30_000)
    for _ in range(3):  # a busy machine, or a cache that fills, may spoil one try
        small = _seconds(lambda: detector.detect(short))
        large = _seconds(lambda: detector.detect(long))
        if large < 15 * max(small, 0.004):
            return
    pytest.fail(f"{large:.2f} s after {small:.3f} s")


@pytest.mark.parametrize("repeat", ["one hundred ", "EUR ", "May "])
def test_a_long_text_that_once_took_minutes(detector, repeat):
    small = _seconds(lambda: detector.detect(_text(repeat, 10_000)))
    large = _seconds(lambda: detector.detect(_text(repeat, 100_000)))
    assert large < 15 * small


def test_the_tagger_reads_in_windows():
    tagger = load_tagger()
    small = _seconds(lambda: tagger.find("Then Ann went home. " * 150))
    assert _seconds(lambda: tagger.find("Then Ann went home. " * 1500)) < 15 * small
