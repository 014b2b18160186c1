"""Answers are counted, watched and kept."""

import stat

import pytest

from intact.config import Settings, load_settings
from intact.errors import ConfigError, ModelError
from intact.models.counted import AnswerStore, CountedModel
from intact.protocols import Completion, CompletionRequest
from tests.scripted import ScriptedModel

ASK = [CompletionRequest("The text. ", f"question {n}", places=(1,), seed=n) for n in range(6)]
GOOD = "1 | Kraków | a far town"


class Server(ScriptedModel):
    """One that refuses, and crashes at times."""

    def complete(self, requests):
        """Refuses what is secret."""
        done = super().complete(requests)
        self.retried += 1
        return [
            Completion("", refused="status 400") if "secret" in one.question else answer
            for one, answer in zip(requests, done, strict=True)
        ]


def counted(path=None, at_once=2, **how):
    server = Server(**({"answers": lambda _: GOOD} | how))
    ticks = iter(range(1000))
    store = None if path is None else AnswerStore(path)
    return CountedModel(server, store, at_once, lambda: next(ticks)), server


def test_counts():
    model, _ = counted()
    model.complete([*ASK, CompletionRequest("", "secret", places=(1,))])
    model.complete([CompletionRequest("", "x", places=(7,))])
    assert model.usage == {
        "requests": 8,
        "kept": 0,
        "read": 33,
        "written": 48,
        "unreadable": 1,  # there is no line for 7
        "refused": 1,
        "retried": 5,
        "seconds": 5,
    }


@pytest.mark.parametrize(
    ("answer", "lost"),
    [("7 | a court", 0), ("also | ward B | a ward", 0), ("None.", 0), ("", 1), ("Sorry, no.", 1)],
)
def test_an_answer_about_any_place_is_a_line_or_none(answer, lost):
    model, _ = counted(answers=lambda _: answer)
    for n in range(30):  # it costs no place its phrase, and so ends no run
        model.complete([CompletionRequest("", f"{n}")])
    assert model.usage["unreadable"] == 30 * lost


def test_the_same_question_is_asked_once_and_across_runs(tmp_path):
    path = tmp_path / "folder" / "answers.sqlite"
    model, server = counted(path)
    first = model.complete([*ASK, ASK[0]])
    assert len(server.requests) == 6
    model.close()
    again, other = counted(path)
    assert again.complete([*ASK, ASK[0]]) == first
    assert not other.requests and again.usage["kept"] == 7
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_whatever_decides_an_answer_makes_another_question(tmp_path):
    model, server = counted(tmp_path / "a")
    model.complete(ASK[:1])
    other = [
        CompletionRequest("The text. ", "question 0", places=(1,), seed=1),
        CompletionRequest("The text. ", "question 0", places=(1, 2, 3)),
        CompletionRequest("The text. question", " 0", places=(1,), temperature=0.1),
    ]
    model.complete(other)
    assert len(server.requests) == 4
    stranger, server = counted(tmp_path / "a", name="another")
    stranger.complete(ASK[:1])
    assert len(server.requests) == 1


def test_a_run_that_was_killed_goes_on_inside_a_document(tmp_path):
    model, _ = counted(tmp_path / "a", crash_at=5)
    with pytest.raises(ModelError):
        model.complete(ASK)
    again, server = counted(tmp_path / "a")
    assert len(again.complete(ASK)) == 6
    assert len(server.requests) == 2  # portions of two: four were kept


def test_refusals_are_not_kept_and_too_many_end_the_run(tmp_path):
    for _ in range(2):
        model, server = counted(tmp_path / "a")
        assert model.complete([CompletionRequest("", "secret", places=(1,))])[0].refused
        assert len(server.requests) == 1
        model.close()
    model, _ = counted()
    with pytest.raises(ModelError, match=r"20 of 20 answers .*refused with status 400"):
        model.complete([CompletionRequest("", f"secret {n}", places=(1,)) for n in range(30)])


def test_a_store_that_cannot_be_opened_is_done_without(tmp_path, caplog):
    (tmp_path / "a").write_text("no database at all, but long enough to be taken for one" * 30)
    for path in (tmp_path / "a", tmp_path / "a" / "below"):
        model, _ = counted(path)
        assert len(model.complete(ASK)) == 6
    assert "not kept" in caplog.text and "Kraków" not in caplog.text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("<think>Ms Secret lives in", "a think block"),
        ("I am sorry, Ms Secret.", "begins like a remark or a refusal"),
        ("", "empty"),
    ],
)
def test_too_many_unreadable_answers_end_the_run(answer, said):
    texts = iter([GOOD] * 15 + [answer] * 10)
    model, _ = counted(answers=lambda _: next(texts), at_once=1)
    with pytest.raises(ModelError, match=r"7 of 22 answers .*could not be read") as caught:
        for _ in range(25):
            model.complete(ASK[:1])
    assert said in str(caught.value) and "Secret" not in str(caught.value)


@pytest.mark.parametrize(
    "wishes",
    [["models.big.name=x"], ["models.reader.contxt=3"], ["models.reader.allow_remote=true"]],
)
def test_models_that_are_none(wishes):
    with pytest.raises(ConfigError):
        load_settings(None, wishes)


def test_waiting_and_keeping_decide_nothing():
    changed = ["model.timeout=9", "model.store=/tmp/x"]
    assert load_settings(None, changed).decisive == Settings().decisive
    assert load_settings(None, ["model.context=999"]).decisive != Settings().decisive
