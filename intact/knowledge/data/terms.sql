-- The tables of terms in the knowledge file; see terms.py.
CREATE TABLE term (
    id INTEGER PRIMARY KEY, concept TEXT, parent INTEGER, phrase TEXT, plural TEXT, kind TEXT,
    types TEXT, form TEXT, country TEXT, rung INTEGER, total INTEGER);
CREATE TABLE sense (id INTEGER PRIMARY KEY, parent INTEGER, kind TEXT);
CREATE TABLE term_name (
    key TEXT, term INTEGER, plural INTEGER, rank INTEGER, PRIMARY KEY (key, term, plural)
) WITHOUT ROWID;
CREATE TABLE term_member (
    term INTEGER, rank INTEGER, name TEXT, share INTEGER, PRIMARY KEY (term, rank)
) WITHOUT ROWID;
