"""INTACT in a spaCy pipeline: ``nlp.add_pipe("intact")``.

Takes the doc's mentions from the first of ``doc.spans["intact"]``, ``doc.spans["sc"]`` and
``doc.ents`` that is there, and sets ``doc._.sanitized`` to the sanitised text. If a doc has no
mentions they are detected. A DocBin with ``store_user_data=True`` keeps the text in
``doc._.sanitized``."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from intact.config import load_settings
from intact.errors import ConfigError
from intact.formats import mentions, tools
from intact.pipeline import build_pipeline
from intact.sanitizing import Pipeline

FACTORY = "intact"
ATTRIBUTE = "sanitized"


class IntactComponent:
    """Sanitises docs; the pipeline is made when the first doc comes.

    Args:
        config: a preset's name or a TOML file; "" is the defaults.
        overrides: settings that replace those, such as "attack.max_risk=0.3".
    """

    def __init__(self, config: str, overrides: Sequence[str]) -> None:
        self._settings = load_settings(config or None, overrides)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to be pickled, without the pipeline, which every process makes for
        itself."""
        return {key: value for key, value in vars(self).items() if key != "_pipeline"}

    @cached_property
    def _pipeline(self) -> Pipeline:
        return build_pipeline(self._settings)

    def __call__(self, doc: Doc) -> Doc:
        """Set ``doc._.sanitized`` to the sanitised text, a string, and return the same doc. Its
        mentions are detected if it has none. Raises a ``DocumentError`` if they cannot be used, and
        a ``LanguageError`` if the doc is not in English."""
        document = mentions.load("doc", *tools.from_doc(doc), "spaCy doc").document
        document = replace(document, annotated=bool(document.mentions))
        doc._.set(ATTRIBUTE, self._pipeline.sanitize(document).text)
        return doc


@Language.factory(  # type: ignore[untyped-decorator]  # spaCy is not typed
    FACTORY,
    default_config={"config": "", "overrides": []},
    assigns=[f"doc._.{ATTRIBUTE}"],
    retokenizes=False,
)
def make_intact(nlp: Language, name: str, config: str, overrides: list[str]) -> IntactComponent:
    """Return the component that ``nlp.add_pipe("intact")`` adds; give docs the extension
    ``sanitized`` if they do not have it.

    Args:
        nlp: the pipeline; not used.
        name: of the pipe, for messages.
        config: a preset's name or a TOML file; "" is the defaults.
        overrides: settings that replace those.

    Raises:
        ConfigError: if another extension is called ``sanitized``, or the configuration is wrong.
    """
    if not Doc.has_extension(ATTRIBUTE):
        Doc.set_extension(ATTRIBUTE, default=None)
    elif any(Doc.get_extension(ATTRIBUTE)[1:]):
        raise ConfigError(f"another extension is called doc._.{ATTRIBUTE}", where=f"pipe {name}")
    return IntactComponent(config, overrides)
