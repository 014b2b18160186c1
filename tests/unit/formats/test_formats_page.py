"""docs/formats.md lists the formats that there are."""

import re
from pathlib import Path

from intact.formats.base import Format, by_name
from intact.protocols import BUILT_IN

PAGE = Path(__file__).parents[3] / "docs" / "formats.md"


def test_every_format_is_listed_as_it_is():
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", PAGE.read_text(), re.M)
    assert [name for name, *_ in rows] == list(BUILT_IN["format"])
    for name, files, _, written, converted in rows:
        kind = by_name(name)
        assert all(f"`{suffix}`" in files for suffix in kind.suffixes[:1]), name
        assert (kind.written_as == ".jsonl") == (written == "JSONL"), name
        own = type(kind).write is not Format.write or type(kind).dump is not Format.dump
        assert own == converted.startswith("yes"), name
