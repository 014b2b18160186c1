"""Access to the review page, and the content of its answers."""

import errno
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from intact import cli
from intact.review.app import review_app
from intact.run.files import beside

TOKEN = "t" * 32


@pytest.fixture
def client(begin, letter):
    app = review_app(begin(letter), TOKEN)
    with TestClient(app, base_url="http://127.0.0.1:8000") as made:
        yield made


@pytest.fixture
def inside(client):
    key = client.post(f"/open?token={TOKEN}").json()["secret"]
    client.headers["Authorization"] = f"Bearer {key}"
    return client


def test_nothing_without_the_token(client):
    for path in ("/api/overview", "/api/documents/0", "/api/audit", "/api/nothing"):
        assert client.get(path).status_code == 401
    assert client.post("/api/release").status_code == 401
    for token in ("", "?token=", "?token=wrong", "?token=%C3%A9"):
        assert client.post(f"/open{token}").status_code == 401
    assert client.get("/docs").status_code == 404
    client.headers["Authorization"] = f"Bearer {TOKEN}"
    assert client.get("/api/overview").status_code == 401


def test_the_token_opens_the_page_once_and_no_cookie_goes_to_other_ports(inside):
    assert inside.post(f"/open?token={TOKEN}").status_code == 401
    assert inside.get("/api/overview").status_code == 200
    assert not inside.cookies and "set-cookie" not in inside.get("/").headers


def test_looking_at_the_address_does_not_use_it_up(client):
    client.head(f"/?token={TOKEN}")
    assert client.get(f"/?token={TOKEN}").status_code == 200
    assert client.get(f"/open?token={TOKEN}").status_code == 404
    assert client.post(f"/open?token={TOKEN}").status_code == 200


def test_other_pages_cannot_act_and_every_answer_forbids_scripts_and_copies(inside):
    for path in ("/", "/review.js", "/review.css", "/api/overview", "/nothing"):
        headers = inside.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
    host = {"Host": "evil.example"}
    assert inside.get("/api/documents/0", headers=host).status_code == 400
    del inside.headers["Authorization"]
    assert inside.post("/api/documents/0/decide", json={"action": "undo"}).status_code == 401


def test_what_changed_since_is_a_conflict(inside, letter):
    view = inside.get("/api/documents/0").json()
    letter.with_name("letter.decisions").write_text("")
    letter.with_name("letter.decisions").unlink()
    letter.with_name("letter.decisions").write_text("x")
    body = {"action": "mask", "key": view["entities"][0]["key"]}
    answer = inside.post("/api/documents/0/decide", json=body)
    assert answer.status_code == 409 and "something else" in answer.json()["error"]


def test_decide_and_refuse(inside):
    view = inside.get("/api/documents/0").json()
    key = next(one["key"] for one in view["entities"] if "Bergen" in one["surfaces"])

    def decide(**body):
        answer = inside.post("/api/documents/0/decide", json=body)
        return answer.status_code, answer.json()

    assert decide(action="mask", key=key)[0] == 200
    status, problem = decide(action="phrase", key=key, text="a town near Leeds")
    assert status == 422 and "hidden elsewhere: “Leeds”" in str(problem)
    assert decide(action="dance", key=key)[0] == 422
    assert decide(action="mask", key="0-1")[0] == 422
    assert decide(action="mark", text="x" * 301, type="ORG")[0] == 422
    assert inside.get("/api/documents/7").status_code == 422


def test_the_page_asks_nobody_else():
    page = Path(review_app.__code__.co_filename).with_name("page")
    for path in page.iterdir():
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http" not in text and "innerHTML" not in text and "style=" not in text
        assert "onclick" not in text and "<script>" not in text


def test_what_cannot_be_read_is_one_line(letter, monkeypatch, capsys):
    """Told as of intact sanitize, by whoever reads the file; who tests may read everything."""

    def refuse(name, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(name))

    monkeypatch.setattr("os.access", lambda path, *_, **__: Path(path) != letter)
    monkeypatch.setattr("intact.run.files.open", refuse, raising=False)
    told = []
    for command in ("sanitize", "review"):
        assert cli.run([command, str(letter)]) == 2
        told.append(capsys.readouterr().err.splitlines()[-1])
    assert told == [f"error: {letter}: cannot be read (Permission denied)"] * 2


def test_an_output_is_reviewed_with_its_input_and_settings(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("intact.review.app.serve_review", lambda review, *_: opened.append(review))
    folder = tmp_path / "in"
    folder.mkdir()
    for path in (tmp_path / "letter.txt", folder / "a.txt"):
        path.write_text("Ann Lee moved to Leeds in 1978.")
    for path in (tmp_path / "letter.txt", folder):
        assert cli.run(["sanitize", str(path), "-q", "--set", "attack.max_risk=0.2"]) == 0
        assert cli.run(["review", str(path)]) == cli.run(["review", str(beside(path))]) == 0
        of_input, of_output = opened[-2:]
        assert of_output.source == path and of_output.out == of_input.out == beside(path)
        assert of_output.decisions == of_input.decisions
        assert of_output.settings.attack.max_risk == 0.2 != of_input.settings.attack.max_risk
    out = tmp_path / "published"  # the input is found by its content, whatever the output is called
    assert cli.run(["sanitize", str(folder), "-q", "-o", str(out)]) == 0
    assert cli.run(["review", str(out)]) == 0
    assert (opened[-1].source, opened[-1].out) == (folder, out)
    (tmp_path / "letter.txt").write_text("Ann Lee moved to York.")
    (folder / "a.txt").unlink()
    for path in (tmp_path / "letter.txt", folder):
        assert cli.run(["review", str(beside(path))]) == 2
        assert "its input has changed since, or is not beside it" in capsys.readouterr().err
