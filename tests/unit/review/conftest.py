"""A review of one letter."""

import pytest

from intact.config import load_settings
from intact.review.reviewed import Review
from intact.review.session import ReviewSession

LETTER = (
    "Dear Dr Amara Okafor,\n\nMy father, Lars Henriksen, was born on 3 May 1951 in Bergen and "
    "moved to Leeds in 1978. He worked for Siemens. Mr Henriksen speaks Norwegian.\n"
)


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text(LETTER, "utf-8")
    return path


@pytest.fixture
def begin(tmp_path):
    made = []

    def start(path, *, end_others=True, settings=None, kept=False, **more):
        while end_others and made:
            made.pop().close()
        out, decisions = tmp_path / f"out{path.suffix}", tmp_path / "letter.decisions"
        chosen = settings or load_settings()
        facts = {"glossary": tmp_path / "letter.glossary"}
        more = facts | more | {"source": path, "decisions": decisions, "by": "Ann"}
        review = Review((), out, path.is_dir(), chosen, **more)
        made.append(ReviewSession(review, kept=kept))
        return made[-1]

    yield start
    for one in made:
        one.close()
