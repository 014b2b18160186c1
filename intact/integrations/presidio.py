"""INTACT as an operator of presidio-anonymizer's ``AnonymizerEngine``.

    >>> engine.add_anonymizer(IntactOperator)  # doctest: +SKIP
    >>> plan = plan_for(text, analyzer_results)  # doctest: +SKIP
    >>> engine.anonymize(text, plan.results, plan.operators).text  # doctest: +SKIP

An operator sees one span at a time, but INTACT decides over the whole text. So the plan is made
first; then the engine carries it out, together with its own operators if wanted."""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from presidio_anonymizer.entities import InvalidParamError, OperatorConfig, RecognizerResult
from presidio_anonymizer.operators import Operator, OperatorType

from intact.api import sanitize
from intact.config import Config
from intact.domain import SanitizedDocument, join_edits
from intact.formats.mentions import load

NAME = "intact"
_WAITING = "replacements"


@dataclass(frozen=True, slots=True)
class ReplacementPlan:
    """The input with which an ``AnonymizerEngine`` writes INTACT's text."""

    results: list[Any]  # the spans to replace, perhaps wider than those found
    operators: dict[str, Any]  # the operators to pass to ``anonymize``
    sanitized: SanitizedDocument  # the decisions and the attacks on them


class IntactOperator(Operator):  # type: ignore[misc]  # presidio is not typed
    """Writes the replacement that a ``ReplacementPlan`` holds for a span."""

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        """Return the replacement that a plan holds for one span of a text. Spans with equal text
        are expected from the last to the first, as Presidio's engine has them.

        Args:
            text: the characters of the span.
            params: those of a plan, to which the engine adds the span's "entity_type".

        Raises:
            InvalidParamError: if the plan has no such span.
        """
        given = params or {}
        waiting = given[_WAITING].get((given.get("entity_type", ""), text))
        if waiting is None:
            remedy = "The plan knows nothing of this span; pass plan.results to anonymize."
            raise InvalidParamError(remedy)
        waiting.rotate(1)  # the engine works from the end of the text to its beginning
        return str(waiting[0])

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Raise an ``InvalidParamError`` unless the parameters are those of a plan."""
        if not isinstance((params or {}).get(_WAITING), Mapping):
            raise InvalidParamError("Make the operators with plan_for(text, analyzer_results).")

    def operator_name(self) -> str:
        """Return the name by which an ``OperatorConfig`` of Presidio asks for this operator:
        "intact"."""
        return NAME

    def operator_type(self) -> Any:
        """Return the kind of this operator: it anonymises."""
        return OperatorType.Anonymize


def plan_for(
    text: str,
    analyzer_results: Sequence[Any],
    config: Config = None,
    overrides: Sequence[str] = (),
) -> ReplacementPlan:
    """Sanitise a text, and return a plan with which Presidio's engine writes the result: the spans
    to replace, the operators that hold their replacements, and INTACT's own result.

    Args:
        text: the original.
        analyzer_results: as ``AnalyzerEngine.analyze`` returns them; they may overlap. Of several
            for one span the surest is used.
        config: a preset's name, a TOML file, ready settings, or None.
        overrides: settings that replace those, such as ``"attack.max_risk=0.3"``.

    Raises:
        ConfigError: for a wrong configuration.
        DocumentError: if the results do not fit the text.
    """
    surest: dict[tuple[int, int], Any] = {}  # result of each span
    for result in sorted(analyzer_results, key=lambda one: (one.start, one.end, -one.score)):
        surest.setdefault((result.start, result.end), result)
    kept = surest.values()
    raws = [{"start": r.start, "end": r.end, "type": r.entity_type} for r in kept]
    document = load("text", text, raws, "analyzer results").document
    done = sanitize(document, config, overrides)
    waiting: dict[tuple[str, str], deque[str]] = defaultdict(deque)
    results = []
    # as the engine joins spans of one type with only spaces between them
    for edit in join_edits(text, done.edits, " "):
        start, end = edit.span.start, edit.span.end
        shared = ((min(r.end, end) - max(r.start, start), -r.start, r.entity_type) for r in kept)
        kind = max(shared)[2]  # of the result with which it shares most characters
        waiting[kind, text[start:end]].append(edit.text)
        results.append(RecognizerResult(kind, start, end, 1.0))
    operators = {"DEFAULT": OperatorConfig(NAME, {_WAITING: dict(waiting)})}
    return ReplacementPlan(results, operators, done)
