"""Words that tell nobody apart: function words, generic heads, words that every document has."""

from __future__ import annotations

from types import MappingProxyType


def _set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


STOP_WORDS = _set(
    "a an the this that these those such same other another each every either neither all both",
    "any some no none one ones own who whom whose which what where when why how whether while",
    "i me my mine myself we us our ours ourselves you your yours yourself he him his himself she",
    "her hers herself it its itself they them their theirs themselves there here",
    "and or but nor so yet if then else than as because since until unless though although however",
    "of in on at by for with without within into onto upon from to up down out off over under",
    "above below between among through during before after about against along around across",
    "behind beyond near per via versus v vs ex re et al",
    "be am is are was were been being have has had having do does did done doing will would shall",
    "should can could may might must ought not only very too also just even more most less least",
    "much many few several again further once ever never always often",
)
"""Function words. Folded, lower case."""

ARTICLES = _set("a an the")

HONORIFICS = _set(
    "mr mrs ms miss mx dr prof professor sir lady lord dame judge justice honourable hon rev",
    "reverend father sister captain sergeant inspector officer",
)
"""Titles before a name. They may stand beside the label of a person."""

KEPT_TITLES = MappingProxyType({"mr": "Mr", "mrs": "Ms", "ms": "Ms", "miss": "Ms"})
"""Titles that tell no more than a pronoun does, and how they are written."""

GENERIC_HEADS = _set(
    # institutions
    "court tribunal chamber division section panel bench jury commission committee council",
    "board ministry minister department directorate office agency authority administration",
    "service bureau government parliament assembly senate house congress police prison jail",
    "gaol constabulary army force forces navy military unit university college school academy",
    "institute faculty hospital clinic centre center surgery bank company firm corporation",
    "enterprise business group holding limited ltd plc inc gmbh party union association",
    "organisation organization society foundation federation league club church mosque temple",
    "parish newspaper magazine journal press radio television channel station institution body",
    "registry register secretariat embassy consulate employer publisher charity trust fund team",
    "museum library theatre theater cinema gallery opera orchestra choir band archive network",
    "project programme program initiative campaign movement corps regiment battalion brigade",
    "squadron fleet guard diocese synod community clan dynasty tribe",
    "branch public state national international regional local municipal federal central",
    "general private official governmental legal judicial criminal civil administrative special",
    "high higher senior supreme chief deputy main principal first second third instance",
    # places
    "city town village hamlet municipality borough district county province region state",
    "territory country nation republic kingdom island islands continent area quarter suburb",
    "neighbourhood street road avenue lane square place park river lake sea coast mountain",
    "valley airport harbour port highway motorway route expressway canal hill forest wood desert",
    "bay beach peninsula constituency ward building house tower palace hall station factory plant",
    "mill stadium arena barracks garrison base camp farm estate cemetery hotel restaurant shop",
    "store supermarket market bridge highland highlands capital north south east west northern",
    "southern eastern left right",
    "western northeast northwest southeast southwest northeastern northwestern southeastern",
    "southwestern middle mid upper lower great greater little new old large small medium sized",
    "european",
    # qualifiers of states and bodies
    "united democratic popular royal imperial constitutional independent joint common human right",
    "rights",
    # people and things
    "person people man woman child boy girl member citizen national nationality native",
    "inhabitant resident origin descent worker employee staff officer official professional",
    "specialist expert leader head representative group kind type sort part number amount sum",
    "piece thing matter document law act code article rule regulation decision case event",
    "activity work condition",
)
"""Heads and qualifiers that a generalisation may share with its original."""

FREQUENT = _set(
    "applicant application appeal appellant claim claimant complaint complainant defendant",
    "plaintiff respondent party witness victim suspect accused prosecution prosecutor lawyer",
    "counsel judge judgment decision ruling order verdict sentence conviction charge trial hearing",
    "proceeding proceedings procedure investigation evidence report letter statement request",
    "reply answer notice fact law convention article paragraph section rule ground reason right",
    "year month week day date time period hour morning evening night",
    "say state find hold give take make see note consider conclude submit lodge file inform",
    "arrest detain detention release remand custody bail patient doctor treatment home family",
    "mother father son daughter brother sister wife husband parent life death money payment",
)
"""Content words that stand in almost every such document: sharing one gives nothing away."""
