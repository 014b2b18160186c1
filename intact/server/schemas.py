"""What goes in and out over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from intact.domain import IdentifierType

Offset = Annotated[int, Field(ge=0, le=2**31 - 1)]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Metric = Literal["left", "parts_left", "words_changed", "grammar", "tps"]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MentionIn(_Body):
    """A span of personal information. Offsets are Unicode code points, the end is exclusive."""

    start: Offset
    end: Offset
    type: Name = Field(description="PERSON, CODE, LOC, ORG, DEM, DATETIME, QUANTITY or MISC.")
    identifier_type: IdentifierType = IdentifierType.QUASI
    entity_id: Name | None = Field(
        None, description="Mentions with one id are one thing; without any ids, rules decide."
    )


class DetectRequest(_Body):
    """A text to look for personal information in."""

    text: str
    preset: str | None = Field(
        None, max_length=50, description="Settings to work under; else those of the server."
    )


class SanitizeRequest(DetectRequest):
    """A text to sanitise."""

    mentions: list[MentionIn] | None = Field(
        None, max_length=100_000, description="What to replace; without it, it is detected."
    )


class EvaluateRequest(_Body):
    """A text, what had to be replaced in it, and what somebody made of it."""

    text: str
    mentions: list[MentionIn] = Field(max_length=100_000)
    sanitized_text: str | None = None
    edits: list[tuple[Offset, Offset, str]] | None = Field(None, max_length=100_000)
    metrics: list[Metric] = Field(["left", "words_changed"], min_length=1, max_length=5)

    @model_validator(mode="after")
    def _one_outcome(self) -> EvaluateRequest:
        if (self.sanitized_text is None) == (self.edits is None):
            raise ValueError("give either sanitized_text or edits")
        return self


class _Placed(_Body):
    start: int
    end: int
    type: str
    identifier_type: IdentifierType
    entity_id: str


class MentionOut(_Placed):
    """A mention and what became of it."""

    replacement: str | None = Field(description="null where nothing was to be replaced.")
    outcome: str = Field(
        description="SAFE, CONTEXT, LABEL, GUESSED, UNPARSED, UNTESTED, COVERED, NO_MASK."
    )


class SanitizeResponse(_Body):
    """The sanitised text and how it came about. Offsets are those of the original."""

    text: str
    mentions: list[MentionOut]
    edits: list[tuple[int, int, str]] = Field(description="[start, end, what stands there now]")
    detected: bool = Field(description="Whether the mentions were detected, not given.")
    protected: bool = Field(description="false: the text could not be protected as asked.")
    notes: list[str]


class DetectedMention(_Placed):
    """A mention that was detected."""

    kind: str
    score: float
    sources: list[str]


class DetectResponse(_Body):
    """What was found; that is no promise that it is all there is."""

    mentions: list[DetectedMention]
    notes: list[str]


class ScoreOut(_Body):
    """A metric's value; see docs/metrics.md."""

    name: str
    value: float | None
    n: int
    signature: str


class EvaluateResponse(_Body):
    """The scores, in the order asked for; a metric may have several."""

    scores: list[ScoreOut]


class Health(_Body):
    """The server is there."""

    status: Literal["ok"]
    version: str


class Problem(_Body):
    """What is wrong; never quotes the text."""

    error: str
