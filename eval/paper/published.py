"""The published scheme (Pilán et al. 2025), for comparison: span by span, with one language model.

    python eval/paper/published.py DATA/tab/tab_dev.json -o edits.json [--set model.path=FILE.gguf]

For each entity, in the order of its first mention, the model sees the sentence of that mention and
writes five replacements (dates are read by rules first; persons and codes have their label). Then
each candidate, the most specific first, is put into the document beside what stands for the other
entities so far, and the same model guesses five originals. The first candidate that no guess gives
away is taken, else the label. Nothing is attacked again when later choices change the text, and
copies of names that nobody annotated stay: that is how it was published. The questions are ours
(prompts.toml), the sampling and the matching as in the paper. One thing differs: an answer that
cannot be read counts as a right guess, not as none.

The output is {document: [[start, end, replacement]]}, which `intact evaluate --edits` reads.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from intact import Document, Entity, EntityType, Mention, load, load_settings
from intact.english.reading import ReadDocument
from intact.english.scan import parse_temporal
from intact.english.sentences import sentences
from intact.english.words import acronyms, fold, normalise, shared_ngram, telling_lemmas
from intact.models.load import load_model
from intact.models.prompts import escape, escape_line
from intact.planning.rules.times import DateGenerator
from intact.protocols import CompletionRequest, LanguageModel

COUNT, TEMPERATURE, TOKENS = 5, 0.3, 200
PROMPTS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("prompts.toml").read_text("utf-8")
)
_MARK = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+")
_WHOLE = (EntityType.DATETIME,)

Edits = list[tuple[int, int, str]]


class PublishedScheme:
    """Generation, attack and selection of one document after the other.

    Args:
        model: proposes and attacks.
        seed: of the sampling.
    """

    def __init__(self, model: LanguageModel, seed: int = 0) -> None:
        self._model = model
        self._seed = seed

    def sanitize(self, document: Document) -> Edits:
        """Return the edits of a document, ascending, not overlapping.

        Raises:
            ContextError: the document does not fit the model.
            ModelError: the model failed.
        """
        candidates = self._propose(document)
        counts: Counter[str] = Counter()
        label = {}
        for entity in document.entities:  # named by their types, as in the paper
            counts[entity.entity_type] += 1
            label[entity.id] = f"{entity.entity_type}_{counts[entity.entity_type]}"
        chosen = {key: (candidates.get(key) or [label[key]])[0] for key in label}
        for entity in document.entities:
            for phrase in candidates.get(entity.id, ()):
                chosen[entity.id] = phrase
                if not self._is_guessed(document, entity, chosen):
                    break
            else:
                chosen[entity.id] = label.get(entity.id, "")
        return [
            (one.span.start, one.span.end, chosen[one.entity_id]) for one in outermost(document)
        ]

    def _propose(self, document: Document) -> dict[str, list[str]]:
        """Return the candidates of each entity that may have some, the most specific first."""
        wanted = [entity for entity in document.entities if entity.generalisable]
        dates = DateGenerator().generate(ReadDocument(document), wanted)
        found = {key: [rung.text for rung in ladder][:COUNT] for key, ladder in dates.items()}
        for entity in wanted:
            if entity.id in found:
                continue
            mention = entity.mentions[0]
            parts = sentences(document.text, [mention.span])
            around = next(part for part in parts if part.contains(mention.span))
            before = escape(document.text[around.start : mention.span.start])
            after = escape(document.text[mention.span.end : around.end])
            example = PROMPTS["examples"].get(entity.entity_type, PROMPTS["examples"]["MISC"])
            found[entity.id] = self._ask(
                "generate",
                example=example["sentence"],
                answer="\n".join(example["answer"]),
                sentence=" ".join(f"{before}[[{escape_line(mention.text)}]]{after}".split()),
            )
        return found

    def _is_guessed(self, document: Document, entity: Entity, chosen: Mapping[str, str]) -> bool:
        """Return True if the model names the entity when it reads what is chosen so far."""
        parts: list[str] = []
        done = 0
        for mention in outermost(document):
            phrase = escape_line(chosen[mention.entity_id])
            parts.append(escape(document.text[done : mention.span.start]))
            parts.append(f"[[{phrase}]]" if mention.entity_id == entity.id else phrase)
            done = mention.span.end
        parts.append(escape(document.text[done:]))
        guesses = self._ask("attack", document="".join(parts))
        return not guesses or any(
            gives_away(guess, mention) for guess in guesses for mention in entity.mentions
        )

    def _ask(self, prompt: str, **fields: str) -> list[str]:
        """Return the lines of the answer to a question, without bullets and numbers."""
        text = re.sub(r"\{(\w+)\}", lambda match: fields[match[1]], PROMPTS[prompt])
        request = CompletionRequest(
            prefix="",
            question=text.strip() + "\n",
            max_tokens=TOKENS,
            temperature=TEMPERATURE,
            seed=self._seed + crc32(text.encode("utf-8", "replace")) % 1_000_000,
        )
        (done,) = self._model.complete([request])
        lines = (_MARK.sub("", line).strip(' "') for line in done.text.splitlines())
        return [line for line in lines if line][:COUNT]


def outermost(document: Document) -> Sequence[Mention]:
    """Return the masked mentions in text order; of those that overlap the first and longest."""
    kept: list[Mention] = []
    masked = (mention for mention in document.mentions if mention.masked)
    for mention in sorted(masked, key=lambda one: (one.span.start, -one.span.end)):
        if not kept or mention.span.start >= kept[-1].span.end:
            kept.append(mention)
    return kept


def gives_away(guess: str, mention: Mention) -> bool:
    """Return True if a guess matches a mention by a rule of the paper: the same words, a telling
    lemma or four letters of a name in common, an acronym; of a date the whole date.

    Args:
        guess: an original that was guessed.
        mention: the original.
    """
    original = mention.text
    if normalise(guess) == normalise(original):
        return True
    if mention.entity_type in _WHOLE:
        one, other = parse_temporal(guess), parse_temporal(original)
        return one is not None and other is not None and one.same(other)
    if telling_lemmas(guess) & telling_lemmas(original) or shared_ngram(original, guess):
        return True
    return any(
        fold(short).replace(".", "") in acronyms(long)
        for short, long in ((guess, original), (original, guess))
    )


def main() -> None:
    """Sanitise a file and write the edits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.NAME=VALUE")
    arguments = parser.parse_args()
    settings = load_settings(None, ["model.name=mistral-7b-v0.2", *arguments.set])
    model = load_model(settings.model)
    try:
        scheme = PublishedScheme(model, settings.run.seed)
        edits = {each.id: scheme.sanitize(each) for each in load(arguments.source)}
    finally:
        model.close()
    arguments.out.write_text(json.dumps(edits, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
