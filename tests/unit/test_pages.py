"""The pages that are made from the code are up to date, and every setting is described."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from intact.config import Settings
from intact.errors import MissingExtraError
from tools import pages

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", pages.PAGES)
def test_a_page_is_what_the_code_says(name):
    try:
        made = pages.PAGES[name]()
    except MissingExtraError as error:
        pytest.skip(error.problem)
    assert (ROOT / "docs" / name).read_text("utf-8") == made, "run: make docs"


def sections(kind):
    inner = [field.annotation for field in kind.model_fields.values()]
    return [each for each in inner if isinstance(each, type) and issubclass(each, BaseModel)]


@pytest.mark.parametrize("section", sections(Settings), ids=lambda kind: kind.__name__)
def test_every_setting_says_what_it_does(section):
    assert [name for name, each in section.model_fields.items() if not each.description] == []


def test_there_are_few_settings():
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert sum(line.startswith("| `") for line in page.splitlines()) <= 45
