"""Where a phrase stands in its sentence, and what can be told from that."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOUN_AFTER = re.compile(
    r"^[ -]+(?!(?:and|or|but|by|in|of|at|on|for|to|who|was|is|were|are|had|has|have|with|from|as|"
    r"since|when|until|after|before|that|between|during|because|then|also|while|against|under|"
    r"within|than|which|where|whose|if|so|not|nor|would|could|should|will|may|did|does|out|up|"
    r"about|into|over|through|without|living|working|born|residing|practising|now|then|today|again|too|"
    r"either|he|she|it|they|we|you|I)\b)[a-z]"
)
_ARTICLE = re.compile(r"\b(?:an?|the|his|her)\s$", re.IGNORECASE)
_OWNER = re.compile(
    r"(?:\b(?:his|her|their|my|our|your|whose|had|has|have|having|two|three|four|five)"
    r"|[’']s|s[’'])\s+(?:\w+\s+)?$"
)
_OWNED = re.compile(r"(?:his|her|their|my|our|your|two|three|four|five|six|seven|eight)\s", re.I)


_YEAR_AFTER = re.compile(r"[”\"’']?\s*\((?:[a-z ]+)?(?:1[89]|20)\d\d\)")
_STUDIED = re.compile(
    r"\b(?:stud(?:y|ied|ies|ying)|reading|degrees? in|graduated in|majored in|lectur\w+ in|"
    r"professor of|faculty of)\s(?:\w+\sand\s)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """Where a phrase stands: its entity type and the text around it ("" if not known).

    Attributes:
        held: whether the phrase itself says that somebody has it ("her children").
        determined: whether the phrase itself starts with an article ("the army").
        proper: whether it is a name of several words ("Blade Runner").
    """

    entity_type: str
    before: str = ""
    after: str = ""
    held: bool = False
    determined: bool = False
    proper: bool = False

    @property
    def is_work(self) -> bool:
        """Whether a year in brackets follows, as it does behind the title of a work."""
        return bool(_YEAR_AFTER.match(self.after))

    @property
    def studied(self) -> bool:
        """Whether the phrase names what somebody has studied."""
        return bool(_STUDIED.search(self.before))

    @property
    def before_noun(self) -> bool:
        """Whether a noun follows directly, so that only an adjective fits."""
        return bool(_NOUN_AFTER.match(self.after))

    @property
    def after_article(self) -> bool:
        """Whether an article or possessive stands directly before."""
        return bool(_ARTICLE.search(self.before))

    @property
    def owned(self) -> bool:
        """Whether somebody has what the phrase names ("her", "the applicant's")."""
        return self.held or bool(_OWNER.search(self.before))


def owned(text: str) -> bool:
    """Whether ``text`` starts with a possessive or a small number ("four children")."""
    return bool(_OWNED.match(text))


def is_title(text: str) -> bool:
    """Whether ``text`` is a title or nickname ("The Long Road"): its words tell nothing."""
    return bool(re.match(r"[\"“‘«„']\s*[A-ZÀ-Þ]|(?:The|A|An) [A-ZÀ-Þ]\w+ ", text))


def is_proper(text: str) -> bool:
    """Whether ``text`` is a name of several words, each with a capital but for small ones."""
    parts = [word for word in text.split() if len(word) > 3 or word[:1].isupper()]
    return len(parts) > 1 and all(word[:1].isupper() for word in parts)


def is_acronym(text: str) -> bool:
    """Whether ``text`` is a short form in capitals."""
    return text.isupper() and text.isalpha() and 1 < len(text) <= 6


def determined(text: str) -> bool:
    """Whether ``text`` starts with an article or possessive, so that a noun must follow."""
    return bool(re.match(r"(?:the|an?|his|her|their|its|my|our|your)\s", text, re.IGNORECASE))
