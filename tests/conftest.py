"""Shared fixtures of all tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir():
    """The folder of published data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("INTACT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the published data is not here (set INTACT_DATA)")
    return folder
