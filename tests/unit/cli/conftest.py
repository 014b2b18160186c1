"""Running the command line inside the test."""

import json

import pytest

from intact import cli as command_line

FAST = ("--set", "generation.sources=[]", "--set", "attack.attackers=[]")


@pytest.fixture
def intact(capsys):
    """Runs ``intact ...``: (exit code, standard output, standard error)."""

    def call(*arguments):
        code = command_line.run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def document():
    """A TAB document about Zacharias Quisling-Topp of Tromsø, with things changed."""

    def make(**changes):
        text = "Zacharias Topp of Tromsø wrote on 3 May 1996. Topp was aged 34."
        spans = [(0, 14, "PERSON"), (18, 24, "LOC"), (34, 44, "DATETIME"), (55, 62, "DATETIME")]
        mentions = [
            {"entity_type": kind, "entity_mention_id": f"m{at}", "start_offset": start,
             "end_offset": end, "span_text": text[start:end], "identifier_type":
             "DIRECT" if kind == "PERSON" else "QUASI", "entity_id": f"e{at}"}
            for at, (start, end, kind) in enumerate(spans)
        ]  # fmt: skip
        return {
            "doc_id": "d1",
            "text": text,
            "annotations": {"ann": {"entity_mentions": mentions}},
        } | changes

    return make


@pytest.fixture
def tab(tmp_path):
    """Writes documents as a TAB file."""

    def write(*documents, name="in.json"):
        path = tmp_path / name
        path.write_text(json.dumps(documents), encoding="utf-8")
        return path

    return write
