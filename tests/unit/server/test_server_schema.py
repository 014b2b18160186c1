"""The server against its own OpenAPI schema: no request makes it fail, answers are as described."""

import pytest

pytest.importorskip("fastapi")
schemathesis = pytest.importorskip("schemathesis")

from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi import checks
from starlette.testclient import TestClient

from intact.config import load_settings
from intact.server.app import create_app

SETTINGS = [
    "generation.sources=['dates']",
    "attack.attackers=[]",
    "detection.detectors=['patterns']",
]
APP = create_app({"": load_settings(None, SETTINGS)}, local=False)
schema = schemathesis.openapi.from_asgi("/openapi.json", APP)


@pytest.fixture(scope="module")
def client():
    with TestClient(APP) as made:
        yield made


@schema.parametrize()
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_server_keeps_to_its_schema(case, client):
    case.call_and_validate(
        session=client,
        # a schema cannot say that offsets lie in the text: good requests may be refused, with 422
        excluded_checks=[checks.positive_data_acceptance],
    )
