"""Shared fixtures of all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=default searches further.
settings.register_profile("repeated", derandomize=True, database=None, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeated"))

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir():
    """The folder of published data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("INTACT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the published data is not here (set INTACT_DATA)")
    return folder
