"""No edit of a text in pieces is lost."""

from hypothesis import given
from hypothesis import strategies as st

from intact.domain import Edit, Span, apply_edits
from intact.errors import EditsError
from intact.formats.pieces import Piece, changes, text_of

PIECES = st.lists(st.builds(Piece, st.text("ab :\n", max_size=6), st.sampled_from([None, 1])))


@given(PIECES, st.lists(st.integers(0, 40), max_size=6))
def test_an_edit_reaches_its_place_or_is_an_error(pieces, bounds):
    given = [Piece(one.text, one.place and at + 1) for at, one in enumerate(pieces)]
    text = text_of(given)
    ends = sorted({each for each in bounds if each <= len(text)})
    spans = [Span(*pair) for pair in zip(ends[::2], ends[1::2], strict=False)]
    edits = [Edit(span, "X") for span in spans]
    try:
        new = dict(changes(given, edits))
    except EditsError:
        fixed, at = set(), 0
        for piece in given:
            if piece.place is None:
                fixed |= {*range(at, at + len(piece.text))}
            at += len(piece.text)
        assert any(fixed & {*range(span.start, span.end)} for span in spans)
        return
    made = "".join(new.get(one.place, one.text) for one in given)
    kept = [[c for c in one if c.isalnum()] for one in (made, apply_edits(text, tuple(edits)))]
    assert kept[0] == kept[1]
