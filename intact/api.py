"""What ``import intact`` offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from intact.build import build_detector, build_pipeline
from intact.config import Settings, load_settings
from intact.domain import ENTITY_TYPES, Document, SanitizedDocument
from intact.errors import InputError
from intact.pipeline import Pipeline
from intact.protocols import Detection


def sanitize(
    documents: Iterable[Document | str],
    config: str | Path | Settings | None = None,
    overrides: Sequence[str] = (),
    *,
    allow_remote: bool = False,
) -> Iterator[SanitizedDocument]:
    """Sanitises documents, one at a time, as they are asked for.

    Args:
        documents: consumed lazily. A string is raw text: its mentions are detected first, as the
            notes then say; a ``Document`` has the mentions that it has.
        config: a preset's name ("strict"), a TOML file, ready settings, or None.
        overrides: settings on top, such as ``"attack.max_risk=0.3"``.
        allow_remote: whether ``model.url`` may be of another machine; see ``load_settings``.

    Raises:
        ConfigError: for a wrong configuration, at the call, before any document is read.
    """
    settings = (
        config
        if isinstance(config, Settings)
        else load_settings(config, overrides, allow_remote=allow_remote)
    )
    return _each(build_pipeline(settings), documents)


def _each(pipeline: Pipeline, documents: Iterable[Document | str]) -> Iterator[SanitizedDocument]:
    with closing(pipeline):
        for number, document in enumerate(documents, start=1):
            if isinstance(document, str):
                yield pipeline.sanitize_raw(Document(f"text{number}", document, ()))
            else:
                yield pipeline.sanitize(document)


def detect(
    text: str,
    config: str | Path | Settings | None = None,
    overrides: Sequence[str] = (),
) -> Detection:
    """The personal information in ``text``: mentions, what speaks for each, and doubts.

    For many texts make the detector once: ``intact.build.build_detector(settings)``.

    Raises:
        ConfigError: for a wrong configuration.
        MissingExtraError: if a package that a detector needs is not installed.
    """
    settings = config if isinstance(config, Settings) else load_settings(config, overrides)
    return build_detector(settings).detect(text)


def load_tab(path: str | Path, annotator: str = "first") -> Iterator[Document]:
    """The documents of a file in TAB's JSON, lazily.

    Args:
        annotator: "first", "all" (the union) or an annotator's name.

    Raises:
        FormatError: if it is no such file.
        DocumentError: at the first document that is not what it must be.
    """
    from intact.formats.tab import TabFormat

    kind = TabFormat()
    try:
        file = Path(path).open("rb")  # noqa: SIM115  (closed below, when the reading ends)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None
    with file:
        for record in kind.records(file, str(path)):
            if isinstance(record, InputError):
                raise record
            yield kind.load(record, annotator).document


def link_mentions(document: Document) -> Document:
    """The document with mentions of one person or thing made one entity, by rules.

    For annotations that do not say who is who: "Ms Lee" is "Ann Lee", an acronym its long form
    (see ``intact.detection.coreference``). What was one entity stays one.
    """
    from intact.detection.coreference import entities
    from intact.detection.findings import Merged
    from intact.formats.exchange import joined

    known = sorted(
        (m for m in document.mentions if m.entity_type in ENTITY_TYPES),
        key=lambda m: (m.span.start, -m.span.end, m.id),
    )
    spans = [Merged(m.span, ENTITY_TYPES[m.entity_type].kind, 1.0, ()) for m in known]
    first: dict[int, str] = {}
    links = [
        (first.setdefault(number, mention.id), mention.id)
        for number, mention in zip(entities(document.text, spans), known, strict=True)
    ]
    return replace(document, mentions=joined(document.mentions, links))
