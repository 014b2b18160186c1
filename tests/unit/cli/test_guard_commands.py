"""``intact background``, ``intact reid`` and ``intact sanitize --background``."""

import json
from io import BytesIO

import numpy as np
import pytest

from intact.cli import run
from intact.reidentification import population as populations

PUBLIC = {
    f"p{at}": f"A {trade} fond of {habit} who wrote letters about noise."
    for at, (trade, habit) in enumerate(
        [("weaver", "chess"), ("glazier", "opera"), ("tanner", "rowing"), ("potter", "judo")]
    )
}
TEXT = "Ola Nordmann was a glazier. He was known for his love of opera."


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "public.json"
    path.write_text(json.dumps(PUBLIC))
    return path


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    mentions = [{"start": 0, "end": 12, "type": "PERSON"}]
    path.write_text(json.dumps({"id": "p1", "text": TEXT, "mentions": mentions}) + "\n")
    return path


def test_build_info_attack_sanitize(tmp_path, source, corpus, capsys):
    pop, out = tmp_path / "pop", tmp_path / "attack"
    assert run(["background", "build", str(source), "-o", str(pop)]) == 0
    assert "4 individuals" in capsys.readouterr().out
    assert run(["background", "info", str(pop)]) == 0
    assert "sha256" in capsys.readouterr().out
    attack = ["reid", "attack", str(corpus), "-b", str(pop), "-o"]
    assert run([*attack, str(out)]) == 0
    results = json.loads((out / "results.json").read_text())
    assert results["rates"]["any"]["1"] == 1.0
    (line,) = [json.loads(text) for text in (out / "rankings.jsonl").read_text().splitlines()]
    assert line["attacks"]["bm25"][0]["individual"] == "p1"
    done = tmp_path / "done.jsonl"
    guard = ["sanitize", str(corpus), "-o", str(done), "--background", str(pop), "-q"]
    assert run([*guard, "--set", "guard.k=2", "--set", "guard.max_words=0.99"]) == 0
    told = json.loads(done.read_text())
    assert told["intact"]["protected"]
    assert told["intact"]["guard"]["reached"] >= 2
    assert told["intact"]["guard"]["places"]
    assert "opera" not in told["sanitized_text"]
    assert told["intact"]["guard"]["after"].keys() == {"tfidf", "bm25"}  # whom it promises
    assert any("by others not promised" in note for note in told["intact"]["notes"])
    assert run(["explain", str(done), "p1"]) == 0
    assert "guard" in capsys.readouterr().out
    assert run(["report", str(done), "-o", str(tmp_path / "report.html"), "-q"]) == 0
    again = ["reid", "attack", str(done), "-b", str(pop), "--attackers", "tfidf,bm25", "-q", "-o"]
    assert run([*again, str(out)]) == 2  # it holds the results above
    out = tmp_path / "again"
    assert run([*again, str(out)]) == 0
    assert json.loads((out / "results.json").read_text())["rates"]["any"]["2"] == 0.0


def test_what_is_not_protected_is_listed_and_no_population_told(tmp_path, source, corpus, capsys):
    done = tmp_path / "done.jsonl"
    guard = ["sanitize", str(corpus), "-o", str(done), "--background", str(source), "-q"]
    assert run([*guard, "--set", "guard.k=2", "--set", "guard.max_words=0"]) == 1
    assert "not protected as asked: 1 document: p1" in capsys.readouterr().err
    assert done.is_file()
    done = tmp_path / "done.jsonl"
    nowhere = str(tmp_path / "nowhere")
    assert run(["sanitize", str(corpus), "-o", str(done), "--background", nowhere, "-q"]) == 2
    assert "intact background build" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("background", "settings", "message"),
    [
        ({"p1": "x", "p2": "y"}, ["guard.k=2"], "behind 2 others in a population of 2"),
        ({"p7": "x y", "p2": "y z"}, ["guard.k=1"], "lacks the individual p1"),
        ({}, ["guard.k=1"], "population is empty"),
    ],
)
def test_bad_populations(tmp_path, corpus, capsys, background, settings, message):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(background))
    done = tmp_path / "done.jsonl"
    command = ["sanitize", str(corpus), "-o", str(done), "--background", str(path), "-q"]
    for setting in settings:
        command += ["--set", setting]
    assert run(command) == 2
    assert message in capsys.readouterr().err
    assert not done.exists()


def test_a_build_that_is_stopped_leaves_what_was_there(tmp_path, source, monkeypatch):
    pop = tmp_path / "pop"
    build = ["background", "build", str(source), "-o", str(pop), "-q"]
    assert run(build) == 0
    assert pop.stat().st_mode & 0o777 == 0o600
    before = pop.read_bytes()

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(populations.np, "savez", stop)
    assert run(build) == 130
    assert pop.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pop", "public.json"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda whole: whole[: len(whole) // 2], "damaged"),
        (lambda whole: whole.replace(b"weaver", b"cooper", 1), "damaged"),
        (lambda whole: b"PK", "damaged"),
        (lambda whole: made_of(version=np.array(2)), "version 2, not 3"),
        (lambda whole: made_of(other=np.array(3)), "damaged"),
    ],
)
def test_damaged_populations(tmp_path, source, corpus, capsys, damage, message):
    pop = tmp_path / "pop"
    assert run(["background", "build", str(source), "-o", str(pop), "-q"]) == 0
    pop.write_bytes(damage(pop.read_bytes()))
    attack = ["reid", "attack", str(corpus), "-b", str(pop), "-o", str(tmp_path / "out")]
    for command in (["background", "info", str(pop)], attack):
        assert run(command) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def made_of(**arrays):
    """A file of NumPy with these arrays."""
    file = BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        ("{}", [], "no documents"),
        ("top secret", [], "not valid JSON"),
        ('{"p1": "x"}', ["--attackers", "telepathy"], "no reidentifier called 'telepathy'"),
        ('{"p1": "x"}', ["--attackers", "encoder:nowhere"], "encoder cannot be loaded"),
        ('{"p1": "x"}', ["--protect", "stranger"], "lacks the individual stranger"),
        ('{"p1": "x"}', ["--protect", "nowhere.json"], "nowhere.json cannot be read"),
        ('{"p1": "x"}', ["--top", "0"], "--top"),
    ],
)
def test_bad_attacks(tmp_path, source, capsys, documents, options, message):
    (tmp_path / "docs.json").write_text(documents)
    attack = ["reid", "attack", str(tmp_path / "docs.json"), "-b", str(source)]
    assert run([*attack, "-o", str(tmp_path / "out"), *options]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "top secret" not in told
    assert not (tmp_path / "out").exists()
