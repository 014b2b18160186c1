"""A damaged knowledge file is told as such, wherever the damage is met."""

import random
import sqlite3

import pytest

from intact.errors import ResourceError
from intact.knowledge.base import FILE, SCHEMA, KnowledgeBase

WORDS = ("Riga", "Sinop Assize Court", "a dentist", "Norwegian", "Nordea", "asthma", "Tromso")


def use(base):
    """Asks a bit of everything."""
    votes = base.votes(WORDS)
    for word in WORDS:
        for kind in ("LOC", "ORG", "DEM", "MISC"):
            link = base.link(word, kind, votes)
            for rung in base.chain(link) if link else ():
                base.members(rung.text, kind, 20)
        base.aliases(word)


@pytest.mark.parametrize("seed", range(6))
def test_pages_overwritten(tmp_path, seed):
    chance = random.Random(seed)
    data = bytearray(FILE.read_bytes())
    for _ in range(4 ** (seed + 1)):
        at = chance.randrange(100, len(data) - 1000)
        data[at : at + 900] = chance.randbytes(900)
    path = tmp_path / "damaged.sqlite"
    path.write_bytes(data)
    try:
        base = KnowledgeBase.open(path)
    except ResourceError as error:
        assert str(path) in str(error)
        return
    try:
        use(base)
    except ResourceError as error:
        assert f"{path}: the knowledge file is damaged" in str(error)
    finally:
        base.close()


@pytest.mark.parametrize(
    "data", [b"", b"text" * 5000, FILE.read_bytes()[:100_000], b"\0" * 9000, FILE.read_bytes()[9:]]
)
def test_what_is_no_knowledge_file(tmp_path, data):
    path = tmp_path / "none.sqlite"
    path.write_bytes(data)
    with pytest.raises(ResourceError, match=r"none\.sqlite: the knowledge file .* Reinstall"):
        KnowledgeBase.open(path)


def test_another_database_and_an_emptied_one(tmp_path):
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as made:
        made.execute(f"PRAGMA user_version={SCHEMA}")
        made.execute("CREATE TABLE x (y)")
    made.close()
    with pytest.raises(ResourceError, match="damaged"):
        KnowledgeBase.open(other)
    with pytest.raises(ResourceError, match="missing"):
        KnowledgeBase.open(tmp_path / "none.sqlite")
    emptied = tmp_path / "emptied.sqlite"
    emptied.write_bytes(FILE.read_bytes())
    with sqlite3.connect(emptied) as made:
        made.execute("DELETE FROM country")
        made.execute("DELETE FROM spelling")
    made.close()
    with pytest.raises(ResourceError, match="empty"):
        KnowledgeBase.open(emptied)
