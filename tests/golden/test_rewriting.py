"""A whole made-up decision, before and after: what a reader gets to see."""

from intact.domain import Document, Mention, Span, apply_edits
from tests.marked import rewriter_for, saying

TEXT = """THE FACTS

1.  Mr Oskar Lindqvist, a Danish national, was born on 4 July 1961 and lives in Vejrby. He was \
represented by the firm Holm & Partners, based in Vejrby. The Danish authorities were notified.

2.  On 3 May 1996 the Vejrby District Court convicted him. The Vejrby District Court’s judgment \
was upheld on 12 May 1996 by the Western High Court (“the WHC”). Lindqvist and his wife \
appealed between 1 June 1996 and 3 June 1996; O.L. paid DKK 40,000. At the end of May 1997 he was \
taken by the Vejrby police to an engineer.

3.  He served five years’ imprisonment.
"""

MENTIONS = (
    ("Mr Oskar Lindqvist", "oskar", "PERSON"),
    ("Danish", "danish", "DEM"),
    ("4 July 1961", "born", "DATETIME"),
    ("Vejrby", "vejrby", "LOC"),
    ("Holm & Partners", "firm", "ORG"),
    ("3 May 1996", "convicted", "DATETIME"),
    ("Vejrby District Court", "court", "ORG"),
    ("12 May 1996", "upheld", "DATETIME"),
    ("Western High Court", "whc", "ORG"),
    ("WHC", "whc", "ORG"),
    ("wife", "wife", "PERSON"),
    ("between 1 June 1996 and 3 June 1996", "appealed", "DATETIME"),
    ("DKK 40,000", "money", "QUANTITY"),
    ("May 1997", "taken", "DATETIME"),
    ("engineer", "engineer", "DEM"),
    ("five years’", "sentence", "DATETIME"),
)

PHRASES = {
    "oskar": saying("PERSON_1", "label"),
    "danish": saying("Northern European"),
    "born": saying("early 1960s"),
    "vejrby": saying("a town in Northern Europe"),
    "firm": saying("a law firm"),
    "convicted": saying("the first half of 1996"),
    "court": saying("a court"),
    "upheld": saying("May 1996"),
    "whc": saying("an appeal court"),
    "wife": saying("PERSON_2", "label"),
    "appealed": saying("between May and July 1996"),
    "money": saying("about 50,000 kroner"),
    "taken": saying("1997"),
    "engineer": saying("a technical professional"),
    "sentence": saying("several years"),
}

EXPECTED = """THE FACTS

1.  PERSON_1, a Northern European national, was born in the early 1960s and lives in a town in \
Northern Europe. He was represented by a law firm, based in the town in Northern Europe. The \
Northern European authorities were notified.

2.  In the first half of 1996 a court convicted him. The court’s judgment was upheld in May 1996 \
by an appeal court (“the appeal court”). PERSON_1 and his PERSON_2 appealed between May and July \
1996; PERSON_1 paid about 50,000 kroner. In 1997 he was taken by the police of the town in \
Northern Europe to a technical professional.

3.  He served several years’ imprisonment.
"""


def document():
    mentions = []
    for number, (surface, entity, kind) in enumerate(MENTIONS):
        start = TEXT.index(surface)
        span = Span(start, start + len(surface))
        mentions.append(Mention(f"m{number}", span, surface, entity, kind))
    return Document("golden", TEXT, tuple(mentions))


def test_a_document_reads_well_after_rewriting():
    doc = document()
    rendered = rewriter_for(doc).render(PHRASES)
    assert rendered.text == EXPECTED
    assert apply_edits(doc.text, rendered.edits) == EXPECTED
