"""The application without a socket."""

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from intact.config import load_settings
from intact.server.app import create_app
from intact.server.service import Limits

QUICK = ["generation.sources=['dates']", "attack.attackers=[]"]


@pytest.fixture(scope="module")
def client():
    app = create_app(
        load_settings(None, QUICK),
        presets={"dates": load_settings(None, QUICK[:1]), "labels": load_settings(None, QUICK)},
        limits=Limits(most_bytes=100_000, most_characters=50_000),
    )
    with TestClient(app, base_url="http://127.0.0.1:8000") as made:
        yield made
