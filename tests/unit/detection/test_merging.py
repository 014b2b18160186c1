"""Findings that overlap."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact.detection.boundaries import tidy
from intact.detection.findings import Finding, merge
from intact.domain import Span

TEXT = "Mr Jan Novak of Leeds, and others"


def finding(shown, kind, score, source):
    start = TEXT.index(shown)
    return Finding(Span(start, start + len(shown)), kind, score, source)


def merged(*findings):
    return [
        (m.span.of(TEXT), m.kind, m.score, m.sources) for m in merge(TEXT, findings, ("a", "b"))
    ]


def test_of_findings_that_overlap_nothing_is_lost_and_the_better_counts():
    outer, inner = finding("Mr Jan Novak", "person", 0.6, "b"), finding("Novak", "place", 0.9, "a")
    assert merged(inner, outer) == [("Mr Jan Novak", "person", 0.9, ("a", "b"))]
    one, other = finding("Leeds", "place", 0.7, "a"), finding("Leeds", "person", 0.8, "b")
    assert merged(one, other)[0][1] == "person"
    assert merged(finding("Leeds", "place", 0.8, "a"), other)[0][1] == "place"
    left = finding("Jan Novak", "person", 0.9, "a")
    right = finding("Novak of Leeds", "place", 0.5, "b")
    assert [m[0] for m in merged(left, right)] == ["Jan Novak", "of Leeds"]
    better = finding("Novak of Leeds", "place", 0.95, "b")
    assert [m[0] for m in merged(left, better)] == ["Jan", "Novak of Leeds"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[(“Leeds”), ]Acme", "Leeds"),
        ("([Acme Ltd.] and", "Acme Ltd."),
        ("and [J.R.] (A)", "J.R."),
        ("[(“]Leeds”", None),
        ("From: [Ann Lee ]<ann@x.example>", "Ann Lee"),
        ("From: Ann Lee[ <ann@x.example>]", "ann@x.example"),
    ],
)
def test_ends_are_tidied(text, left):
    span = Span(text.index("["), text.index("]") - 1)
    plain = text.replace("[", "").replace("]", "")
    found = tidy(plain, span)
    assert (found and found.of(plain)) == left


KINDS = st.sampled_from(["person", "place", "date"])
FOUND = st.tuples(
    st.integers(0, 32), st.integers(1, 20), KINDS, st.floats(0.1, 1.0), st.sampled_from("abc")
)


@given(st.lists(FOUND, max_size=12))
def test_spans_never_overlap_and_cover_every_letter_found(raw):
    findings = [
        Finding(Span(start, min(len(TEXT), start + size)), kind, score, source)
        for start, size, kind, score, source in raw
    ]
    spans = [m.span for m in merge(TEXT, findings)]
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    covered = {at for span in spans for at in range(span.start, span.end)}
    small = {TEXT.index(word) + at for word in ("of", "and") for at in range(len(word))}
    wanted = {at for f in findings for at in range(f.span.start, f.span.end) if TEXT[at].isalnum()}
    assert wanted - small <= covered  # half a small word at the end of a span is left
