"""Language that replacements break: what no careful writer would leave, found by patterns.

Only defects that an edit has a part in are counted, not those of the original.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator

from intact.domain import Covered, SanitizedDocument, Score, Span
from intact.english.grammar import indefinite
from intact.english.vocabulary import read_patterns
from intact.evaluation.corpus import new_places
from intact.evaluation.metric import Metric, Pairs

PATTERNS = read_patterns("defects")


class GrammarDefects(Metric):
    """Number of defects per document that a replacement has a part in: doubled articles,
    prepositions and words, "a" for "an", "on" before a month or year, a decade without its article,
    a capital in mid-sentence."""

    name = "grammar"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the number of defects of language per document in which a replacement has a part
        (doubled articles, "a" for "an" ...): of all kinds together, then of each kind."""
        counts = {p.document.id: Counter(k for k, _ in places_of_defects(p)) for p in pairs}
        whole = self.mean((key, sum(n.values())) for key, n in counts.items())
        kinds = ([(key, n[kind]) for key, n in counts.items()] for kind in PATTERNS)
        return (whole, *map(self.mean, kinds, PATTERNS))


def places_of_defects(pair: SanitizedDocument) -> Iterator[tuple[str, Span]]:
    """Yield each defect in which an edit has a part, as (its kind, its span in the edited text):
    kind after kind, those of a kind ascending."""
    text, places = pair.text, new_places(pair.edits)
    written = Covered(text, (Span(*place) for place in places))
    gaps = [low for low, high in places if low == high]
    for kind, pattern in PATTERNS.items():
        at = 0
        while match := pattern.search(text, at):
            start, end = match.span()
            at = start + 1
            right = kind == "a or an" and match[1].lower() == indefinite(match[2])
            span = Span(start, end)
            cut = bisect_right(gaps, start) < bisect_left(gaps, end)
            if not right and (written.touches(span) or cut):
                yield kind, span
