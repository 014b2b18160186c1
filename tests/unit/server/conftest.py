"""The application without a socket."""

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from intact.config import load_settings
from intact.server.app import create_app
from intact.server.service import Limits

QUICK = ["generation.sources=['dates']", "attack.attackers=[]"]


PRESETS = ("", "dates", "labels")


@pytest.fixture(scope="module")
def client():
    app = create_app(
        {name: load_settings(None, QUICK[:1] if name == "dates" else QUICK) for name in PRESETS},
        limits=Limits(most_bytes=100_000, most_characters=50_000),
    )
    with TestClient(app, base_url="http://127.0.0.1:8000") as made:
        yield made
