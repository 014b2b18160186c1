"""A trained detector: a small BERT (Devlin et al. 2019) that tags every word with what it belongs
to.

Its folder holds ``tagger.json``, ``tokenizer.json``, ``network.onnx``. The shipped one is MiniLM's
first layers, trained on made-up documents of many fields (``eval/documents``). A tagger that was
trained on your own documents may have memorised names in them: share it only as you would share the
documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from intact.detection.findings import Finding
from intact.detection.names import name_list
from intact.detection.patterns import load_words
from intact.domain import ENTITY_TYPES, LABEL_ONLY, PROPER, EntityType, Span
from intact.english.grammar import DETERMINERS
from intact.english.languages import FOREIGN_WORDS
from intact.english.vocabulary import ABBREVIATIONS, ARTICLES, STOP_WORDS
from intact.english.words import is_english, is_ordinary
from intact.errors import ModelError, loading
from intact.models.network import Array, Network, softmax
from intact.shipped import SHIPPED_TAGGER, TAGGER_SETTINGS

VERSION = 4
# The types that the network was trained on, in the order of its outputs.
TYPES = ("PERSON", "CODE", "LOC", "ORG", "DEM", "DATETIME", "QUANTITY", "MISC")
# Outside, or the first word or a further word of a mention of each type.
TAGS = ("O", *(f"{place}-{kind}" for kind in TYPES for place in "BI"))

FORMS = 14  # features of how a word is written, as the network reads everything in lower case
WINDOW, STEP = 254, 190  # tokens read at once, and tokens from one window's start to the next's
_REMEMBERED = 128  # windows that are kept, .8 MB each: some 80 kB of text

# The files of a tagger's folder besides its settings.
NETWORK, TOKENIZER = "network.onnx", "tokenizer.json"

_DOUBT = 2.0  # words down to the threshold divided by this are reported as unsure
_FAINT = 0.02  # and single words down to this certainty, to be counted
_SHORT = 3  # letters of a field's name: "ext", "ph"
_EVEN = (0.3, 0.6)
_NAMED = PROPER | {EntityType.DATETIME, EntityType.MISC}
_DIRECT = np.array([kind in LABEL_ONLY for kind in TYPES])
_PLACE_OR_BODY = [TYPES.index(EntityType.LOC), TYPES.index(EntityType.ORG)]
_BEFORE_NOUNS = (ARTICLES | DETERMINERS) - {"no"}
_SURE_KIND = 0.7  # share from which a word is of a type, whatever the types of its neighbours
_CLEAR = 0.6  # share of a type below which it is right in less than half of the cases
_KIN = frozenset(load_words("traits")["lists"]["kin"].split())
_JOINT = 1  # the most blanks between two words of one mention; more separate columns of a form


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as the network reads it."""

    text: str
    ids: NDArray[np.int64]  # numbers of its tokens, shape (tokens,)
    owner: NDArray[np.int64]  # the word that each token is part of, shape (tokens,)
    words: tuple[Span, ...]  # ascending; runs of letters and digits, single other characters
    shown: tuple[str, ...]  # the text of each word
    forms: Array  # how the word of each token is written, 0 or 1, shape (tokens, ``FORMS``)

    def content(self) -> list[bool]:
        """Tell for each word whether it is more than a function word or punctuation."""
        return list(map(_is_content, self.shown))

    def windows(self) -> list[slice]:
        """Return overlapping slices of the tokens that together hold all of them, in order: 254
        tokens each, a new one every 190; one, perhaps empty, for a short text."""
        starts = range(0, max(1, len(self.ids) - WINDOW + STEP), STEP)
        return [slice(start, start + WINDOW) for start in starts]


def _is_content(word: str) -> bool:
    return word[0].isalnum() and word.lower() not in STOP_WORDS


class Reader:
    """Reads texts into ``Pieces``."""

    def __init__(self, tokenizer: str) -> None:
        self.tokenizer = Tokenizer.from_str(tokenizer)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        numbers = self.tokenizer.get_vocab()
        self.begin, self.end, self.hidden = numbers["[CLS]"], numbers["[SEP]"], numbers["[MASK]"]
        self.read = lru_cache(1)(self._read)  # a text is read for its mentions, then for its kinds

    def _read(self, text: str) -> Pieces:
        """Split a text into the network's tokens and into words, with features of how each word is
        written; empty arrays for a text without words. Takes time linear in its length."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        owner = np.array(encoding.word_ids, dtype=np.int64)
        offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        starts = offsets[np.diff(owner, prepend=-1) != 0, 0].tolist()
        ends = offsets[np.diff(owner, append=-1) != 0, 1].tolist()
        shown = tuple(map(text.__getitem__, map(slice, starts, ends)))
        lower = set(filter(str.islower, shown))
        forms_of = {word: _form(word, lower) for word in set(shown)}
        gaps = [text[done:start] for done, start in zip([0, *ends], starts, strict=False)]
        line = [not at or "\n" in gap for at, gap in enumerate(gaps)]
        opens = [new or last in ".!?:" for new, last in zip(line, ("", *shown), strict=False)]
        beside = np.array([line, [gap == " " for gap in gaps], opens], dtype=np.float32).T
        forms = np.zeros((len(owner), FORMS), dtype=np.float32)
        own = np.array(list(map(forms_of.__getitem__, shown)), dtype=np.float32)
        forms[:, _BESIDE], forms[:, _OWN] = beside[owner], own.reshape(-1, len(_OWN))[owner]
        forms[1:, -1] = owner[1:] == owner[:-1]
        ids, spans = np.array(encoding.ids, dtype=np.int64), tuple(map(Span, starts, ends))
        return Pieces(text, ids, owner, spans, shown, forms)


_BESIDE = [6, 7, 10]  # the columns of ``Pieces.forms`` that describe what is before a word
_OWN = [0, 1, 2, 3, 4, 5, 8, 9, 11, 12]  # those that describe how it is written itself


def _form(word: str, lower: set[str]) -> tuple[bool, ...]:
    """Return ten features of how a word is written: whether it begins with a capital; is all
    capitals (two letters or more); all lower case; all digits; has a digit among others; a capital
    inside; is one character; a number of four digits; punctuation; and whether it has a capital
    and is in ``lower``, the words of the text in lower case."""
    digit, capital = word.isdigit(), word[0].isupper()
    return (
        capital,
        word.isupper() and len(word) > 1,
        word.islower(),
        digit,
        any(map(str.isdigit, word)) and not digit,
        any(map(str.isupper, word[1:])) and not word.isupper(),
        len(word) == 1,
        digit and len(word) == 4,
        not word[0].isalnum(),
        capital and word.lower() in lower,
    )


class WindowStates(NamedTuple):
    """The network's output for the tokens of a window."""

    tags: Array  # logits, shape (tokens, tags)
    states: Array  # the last states, shape (tokens, dimensions)
    words: Array  # embeddings, shape (tokens, dimensions)


class Tagger:
    """A ``Finder`` that uses a trained network.

    Args:
        reader: splits texts into tokens.
        network: a BERT, see ``encode_bert``, with forms and tags.
        threshold: the least certainty of words that are found; see ``certainty``.
    """

    name = "tagger"

    def __init__(self, reader: Reader, network: Network, threshold: float = 0.5) -> None:
        self.reader, self.network = reader, network
        self.threshold = threshold
        self._read_once = lru_cache(_REMEMBERED)(self._read)

    @cached_property
    def width(self) -> int:
        """The number of dimensions of the network's states."""
        return int(self.read_window(self.reader.read(""), slice(0)).states.shape[1])

    def find(self, text: str) -> list[Finding]:
        """Return the mentions in a text, first single faint words and then the others in text
        order. Findings that score below the threshold are only doubts. [] for a text without
        words."""
        pieces = self.reader.read(text)
        if not pieces.words:
            return []
        return findings(pieces, self.probabilities(pieces), self.threshold, self.name)

    def probabilities(self, pieces: Pieces) -> Array:
        """Return the probability of each tag (column 0: outside; then for each type the first and a
        further word of a mention) for each word, shape (words, tags): that of the word's token that
        is likeliest to be masked. The text must not be empty."""
        seen = np.full(len(pieces.ids), -1)
        logits = np.zeros((len(pieces.ids), len(TAGS)), dtype=np.float32)
        for at in pieces.windows():
            values = self.read_window(pieces, at).tags
            margin = np.minimum(np.arange(len(values)), np.arange(len(values))[::-1])
            better = margin > seen[at]
            logits[at][better], seen[at][better] = values[better], margin[better]
        shares = softmax(logits)
        order = np.lexsort((shares[:, 0], pieces.owner))  # the likeliest to be masked comes first
        begins = np.searchsorted(pieces.owner, np.arange(len(pieces.words)))
        tags: Array = shares[order[begins]]
        both, first = tags[:, 1::2] + tags[:, 2::2], shares[begins]
        begin = first[:, 1::2] / np.maximum(first[:, 1::2] + first[:, 2::2], 1e-9)
        tags[:, 1::2], tags[:, 2::2] = both * begin, both * (1 - begin)
        return tags

    def read_window(self, pieces: Pieces, window: slice) -> WindowStates:
        """Return the network's output for the tokens of a window, read together: the logits of
        their tags, their last states and their embeddings, one row for each token. The last windows
        are remembered, because mentions are read from them first, and their kinds later.

        Args:
            pieces: the text.
            window: the slice of its tokens, at most ``WINDOW`` of them.
        """
        return self._read_once(pieces.ids[window].tobytes(), pieces.forms[window].tobytes())

    def _read(self, tokens: bytes, written: bytes) -> WindowStates:
        """Return the network's output for the tokens of a window, one row for each.

        Args:
            tokens: the bytes of their numbers, as 64-bit integers.
            written: the bytes of their features, as 32-bit floats, ``FORMS`` for each token.
        """
        ids = np.r_[self.reader.begin, np.frombuffer(tokens, dtype=np.int64), self.reader.end]
        forms = np.frombuffer(written, dtype=np.float32).reshape(-1, FORMS)
        forms = np.pad(forms, ((1, 1), (0, 0)))  # what begins and ends a window has none
        arrays = self.network.read(WindowStates._fields, ids=ids[None], forms=forms[None])
        return WindowStates(*(values[0, 1:-1] for values in arrays))


def load_tagger(folder: Path = SHIPPED_TAGGER, threshold: float = 0.5) -> Tagger:
    """Load a tagger that ``eval/documents/tagger.py`` made.

    Args:
        folder: of the tagger; read only once in a process.
        threshold: the least certainty of words that are found, in [0, 1].

    Raises:
        ModelError: if there is no tagger, or one of another version.
    """
    tagger = copy(_opened(folder))
    tagger.threshold = threshold
    return tagger


@lru_cache(2)
def _opened(folder: Path) -> Tagger:
    """Return the tagger in a folder, which is read once in a process. Raise a ``ModelError`` if
    there is none, if it is of another version, or if its network is not that of its settings."""
    remedy = "Make one with eval/documents/tagger.py (docs/detection.md)."
    with loading("is no tagger", folder, remedy):
        settings = json.loads((folder / TAGGER_SETTINGS).read_text(encoding="utf-8"))
        if settings.get("version") != VERSION or settings.get("tags") != list(TAGS):
            raise ModelError("the tagger is of another version", where=folder, remedy=remedy)
        model = (folder / NETWORK).read_bytes()
        if settings.get("network") != sha256(model).hexdigest():
            raise ModelError("the network is another than its settings say", where=folder)
        return Tagger(Reader((folder / TOKENIZER).read_text(encoding="utf-8")), Network(model))


def certainty(probabilities: Array) -> Array:
    """Return how sure it is that each word must be masked, shape (words,), in [0, 1]. Probabilities
    are of shape (words, tags).

    A word that is likelier a direct identifier reaches 0.5 at a lower probability (0.3) than others
    (0.6), because missing a name or a code costs more."""
    masked = 1.0 - probabilities[:, 0]
    kinds = (probabilities[:, 1::2] + probabilities[:, 2::2]).argmax(axis=1)
    direct, other = (np.interp(masked, [0, even, 1], [0, 0.5, 1]) for even in _EVEN)
    sure: Array = np.where(_DIRECT[kinds], direct, other).astype(np.float32)
    return sure


def findings(pieces: Pieces, probabilities: Array, threshold: float, source: str) -> list[Finding]:
    """Join words of which the tagger is sure into findings, and likewise those that are only
    doubts. Return first single words that are fainter than doubts, then the others in text order.

    A run ends where a word is likelier to begin another mention than to continue this one, where
    the type clearly changes, where words stop being sure, and at the end of a line. Its score is
    that of its likeliest word, its type the likeliest of all its words together. An article before
    it and stop words at its end are cut off; everyday words that say nothing score 0.02.

    Args:
        pieces: the text.
        probabilities: of the tags, shape (words, tags).
        threshold: certainty from which a word is found, in [0, 1]; doubts begin at half of it.
        source: the name that the findings carry.
    """
    words, text, content = pieces.words, pieces.text, pieces.content()
    chosen = certainty(probabilities)
    begin = probabilities[:, 1::2]
    shares = begin + probabilities[:, 2::2]

    def finding(run: Sequence[int]) -> Finding:
        """Return the finding that the words at the indexes of a run make together."""
        start = words[run[0]].start
        if text[start] in "-‐‑":  # of "hunter-gatherers" the second half alone is no word
            while start and text[start - 1].isalpha():
                start -= 1
        types = shares[run].sum(axis=0)
        telling = [at for at in run if content[at]]
        place, body = shares[telling][:, _PLACE_OR_BODY].sum(axis=0) / max(1, len(telling))
        return Finding(
            Span(start, words[run[-1]].end),
            _kind(pieces, run, types),
            round(float(chosen[run].max()), 4),
            source,
            float(types.max() / shares[run].sum()),
            float(begin[telling].sum()),
            float(place + body) if place > body else 0.0,
        )

    faint = np.array(content) & (chosen >= _FAINT) & (chosen < threshold / _DOUBT)
    results = [finding([at]) for at in np.flatnonzero(faint).tolist()]
    for run in _runs(pieces, probabilities, chosen, threshold):
        kind = TYPES[int(shares[run].sum(axis=0).argmax())]
        _trim(pieces, run, kind)
        if run:
            nothing = _names_nothing(pieces, run, kind)
            results.append(replace(finding(run), score=_FAINT) if nothing else finding(run))
    return results


def _runs(pieces: Pieces, tags: Array, chosen: Array, threshold: float) -> Iterator[list[int]]:
    """Yield, in text order, the indexes of the words that are likely to be of one mention (see
    ``findings``), a list for each; also of mentions that are only doubts. No words give one empty
    list.

    Args:
        pieces: the text.
        tags: the probability of each tag, shape (words, tags).
        chosen: how sure it is that each word must be masked, shape (words,), in [0, 1].
        threshold: certainty from which a word is found, in [0, 1]; doubts begin at half of it.
    """
    begin, inside = tags[:, 1::2], tags[:, 2::2]
    shares = begin + inside
    kinds = shares.argmax(axis=1)
    clear = shares.max(axis=1) > _SURE_KIND * shares.sum(axis=1)
    sure = chosen >= threshold
    gaps = (pieces.text[one.end : other.start] for one, other in pairwise(pieces.words))
    goes_on = np.array([len(gap) <= _JOINT and "\n" not in gap for gap in gaps], dtype=bool)
    goes_on &= (sure[1:] == sure[:-1]) & (begin.sum(axis=1) <= inside.sum(axis=1))[1:]
    goes_on &= (kinds[1:] == kinds[:-1]) | ~(clear[1:] & clear[:-1])
    likely = np.flatnonzero(chosen >= threshold / _DOUBT)
    first = np.flatnonzero((np.diff(likely) > 1) | ~goes_on[likely[1:] - 1]) + 1
    yield from (numbers.tolist() for numbers in np.split(likely, first))


def _kind(pieces: Pieces, run: Sequence[int], shares: Array) -> str:
    """Return the kind ("person", "place" ...) of a run of words: that of its likeliest type. If it
    is called a person only faintly and has no listed name, or a code and has no digit, "other".

    Args:
        pieces: the text.
        run: the indexes of the words.
        shares: the probability of each type, summed over the words.
    """
    kind = TYPES[int(shares.argmax())]
    if shares.max() < _CLEAR * shares.sum():
        shown = [pieces.shown[at] for at in run]
        nameless = kind == EntityType.PERSON and not any(map(name_list().is_name, shown))
        wordy = kind == EntityType.CODE and not any(map(str.isdigit, "".join(shown)))
        kind = EntityType.MISC if nameless or wordy else kind
    return ENTITY_TYPES[kind].kind


def _trim(pieces: Pieces, run: list[int], kind: str) -> None:
    """Remove an article or possessive from the front of ``run``, and from its end what cannot end a
    mention: stop words, and the verb of "Ann Lee saw". ``run`` may become empty."""

    def leads_nowhere(at: int) -> bool:
        """Tell whether the word at an index cannot end the mention."""
        word, start = pieces.shown[at], pieces.words[at].start
        apart = pieces.text[start - 1 : start] == " "
        verb = kind == EntityType.PERSON and apart and word.islower() and is_english(word)
        return word in STOP_WORDS or (len(run) > 1 and (verb or word in FOREIGN_WORDS))

    while run and leads_nowhere(run[-1]):
        del run[-1]
    while len(run) > 1 and pieces.shown[run[0]].lower() in _BEFORE_NOUNS:
        del run[0]


def _names_nothing(pieces: Pieces, run: Sequence[int], kind: str) -> bool:
    """Tell whether a run is everyday words that say nothing of anybody: words that never do; the
    name of a field in a form ("Occupation:"); a heading on a line of its own; a single lower-case
    word taken for a name, a time or a thing ("the morning", "diagnosed with"); a single ordinary
    word with a capital taken for a code; or a member of a family without more ("his wife"), unless
    taken for a person."""
    text, start, end = pieces.text, pieces.words[run[0]].start, pieces.words[run[-1]].end
    shown = [pieces.shown[at] for at in run]
    if _is_bare(text[start:end], kind) or not any(map(_tells, shown)):
        return True
    one, word = len(run) == 1, shown[0].lower()
    code = one and shown[0].isupper() and kind == EntityType.CODE and is_ordinary(word)
    if code or not all(map(is_english, shown)):
        return False
    kin = word in _KIN and kind != EntityType.PERSON
    if one and (kin or (shown[0].islower() and kind in _NAMED)):
        return True
    named = any(map(name_list().is_name, shown))
    return not named and _is_label(text, start, end, heading=kind in PROPER)


def _is_label(text: str, start: int, end: int, *, heading: bool) -> bool:
    """Tell whether words are the name of a field in a form ("Occupation:"), or a ``heading`` on a
    line of its own."""
    line = text[text.rfind("\n", 0, start) + 1 : start] + text[end:].partition("\n")[0]
    field = text[end : end + 2].lstrip(" \t")[:1] == ":"
    return field or (heading and not line.strip("# *_="))


def _tells(word: str) -> bool:
    """Tell whether a word is more than a function word, punctuation or a lower-case letter."""
    return _is_content(word) and (len(word) > 1 or word.isdigit() or word.isupper())


def _is_bare(words: str, kind: str) -> bool:
    """Tell whether words say nothing by themselves: an abbreviation (unless taken for a nationality
    or the like), a single letter (unless taken for a person), or a short or common word without a
    digit that was taken for a code: "ph" in "ph 06 555 0182".

    Args:
        words: the text of a run of words.
        kind: the type that it was taken for ("CODE").
    """
    abbreviated = words in ABBREVIATIONS and kind != EntityType.DEM
    letter = len(words) == 1 and words.isalpha() and kind != EntityType.PERSON
    code = kind == EntityType.CODE and words.isalpha() and not words.isupper()
    short = len(words) <= _SHORT and words.islower()
    return abbreviated or letter or (code and (short or is_ordinary(words.lower())))
