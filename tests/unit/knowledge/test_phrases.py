"""Every phrase of the knowledge file that can be shown: article, plural, no demeaning word."""

import re
import sqlite3

from intact.english.grammar import (
    head_noun,
    indefinite,
    plural_noun,
    plural_phrase,
    without_article,
)
from intact.knowledge.base import FILE
from intact.knowledge.geography import PHRASES

DEMEANING = """
savage primitive barbarian heathen infidel redskin squaw eskimo oriental half-caste half-breed
caste mulatto negro negress coloured gypsy gipsy jap chink wog paki spic dago jewess cripple
hunchback spastic mongol deaf-mute idiot imbecile moron cretin lunatic madman madwoman retard
maniac psycho midget dwarf freak bastard whore slut tart harlot bitch shrew hag crone spinster
queer pansy homo tranny hermaphrodite tramp bum hobo vagrant beggar pauper wino drunkard junkie lush
addict slave alien pagan loser failure simpleton fool dunce thug crook pervert wretch scum
"""
_DEMEANING = re.compile(rf"\b(?:{'|'.join(DEMEANING.split())})(?:s|es)?\b", re.IGNORECASE)
_ABOUT_ORGANS = re.compile(r"(?:heart|kidney|respiratory|liver) failure")


def rows(query):
    connection = sqlite3.connect(FILE)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def phrases():
    """All phrases with their plurals."""
    for phrase, plural in rows("SELECT phrase, plural FROM term WHERE form = 'noun'"):
        yield phrase, plural or plural_phrase(phrase)
    others = rows("SELECT phrase FROM head UNION SELECT phrase FROM area")
    for (phrase,) in (*others, *((phrase,) for phrase in PHRASES.values())):
        yield phrase, plural_phrase(phrase)


def shown_for_others():
    """Return the phrases that may stand for another word: rungs, and classes above words."""
    query = """SELECT phrase, plural FROM term WHERE rung OR id IN (SELECT parent FROM sense)
        OR id IN (SELECT parent FROM term)"""
    for pair in rows(query):
        yield from filter(None, pair)
    for phrase, plural in ((p, plural_phrase(p)) for (p,) in rows("SELECT phrase FROM head")):
        yield from (phrase, plural)


def test_no_phrase_is_demeaning():
    shown = [_ABOUT_ORGANS.sub("", phrase) for phrase in shown_for_others()]
    assert len(shown) > 1000
    assert [phrase for phrase in shown if _DEMEANING.search(phrase)] == []


def test_every_article_goes_by_the_sound():
    wrong = []
    for phrase, _ in phrases():
        article, _, rest = phrase.partition(" ")
        if article in ("a", "an") and article != indefinite(rest):
            wrong.append(phrase)
    assert wrong == []


def test_every_plural_is_one():
    for phrase, plural in phrases():
        if phrase.startswith(("a ", "an ")):
            assert plural == without_article(plural), phrase
            head = head_noun(plural)
            by_rule = plural == plural_phrase(phrase) and not head.endswith(("is", "us", "general"))
            assert plural_noun(head) == head or not by_rule, phrase
