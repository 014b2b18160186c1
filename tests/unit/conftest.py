"""The command line inside the test; the knowledge and a detector, opened once for all tests."""

import pytest

from intact import cli as command_line
from intact.config import load_settings
from intact.knowledge.base import KnowledgeBase
from intact.pipeline import Components, build_detector


@pytest.fixture(scope="session")
def base():
    """The shipped knowledge."""
    opened = KnowledgeBase.open()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def rules():
    """A detector without the tagger."""
    settings = load_settings(None, ["detection.detectors=['patterns','knowledge']"])
    return build_detector(Components(settings))


@pytest.fixture
def intact(capsys):
    """Runs ``intact ...``: (exit code, standard output, standard error)."""

    def call(*arguments):
        code = command_line.run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
