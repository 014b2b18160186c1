"""Coreference: mentions of one thing become one entity."""

import pytest

from intact.discourse.things import entities
from intact.domain import Mention, Span

KINDS = {
    "p": "PERSON", "o": "ORG", "d": "DATETIME", "c": "CODE", "l": "LOC", "q": "QUANTITY",
}  # fmt: skip


def marked(text):
    """ "[p:Mr Novak]" marks a person."""
    plain, spans = "", []
    for part in text.replace("]", "[").split("["):
        kind, colon, shown = part.partition(":")
        if colon and kind in KINDS:
            span = Span(len(plain), len(plain) + len(shown))
            spans.append(Mention("", span, shown, "", KINDS[kind]))
            plain += shown
        else:
            plain += part
    return plain, spans


def numbers(text):
    return entities(*marked(text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[p:Mr Jan Novak] met [p:Novak]; [p:Mr Novak] and [p:J. Novak] and [p:Jan]",
         [1, 1, 1, 1, 1]),
        ("[p:Ms Anna Novak] and [p:Mr Novak]", [1, 2]),
        ("[p:Mrs Ada Berg] and [p:Canon Jan Berg]; [p:Mrs Berg]", [1, 2, 1]),
        ("[p:Jan Novak] and [p:Petr Novak]; [p:J. Novak], [p:P. Novak]", [1, 2, 1, 2]),
        ("[p:Jan Novak] spoke. [p:Novak] said. [p:Petr Novak] spoke. [p:Novak] said", [1, 1, 2, 2]),
        ("Dr [p:Jan Novak], doctor. [p:Jan Novak] left. [p:Miss Ada Novak] owns it. [p:Novak], or"
         " “Janek”, died. [p:Miss Novak] did not. Dr [p:Novak]", [1, 1, 2, 1, 2, 1]),
        ("[p:Mrs Anna \"Anka\" Berg], née [p:Kowal] ([p:AB]), [p:Anka Berg]", [1, 2, 1, 1]),
        ("[p:Anna Kowal] (“[p:A.K.]”) and [p:B.L.], [p:Tran Van Loc] ([p:TVL])", [1, 1, 2, 3, 3]),
        ("the [o:Inland Water Board] (“the [o:IWB]”); [o:IWB], [o:the Inland Water Board]",
         [1] * 4),
        ("the [o:High Court (Landsret)] and the [o:High Court]; the [o:Landsret]", [1, 1, 1]),
        ("[o:East Court] (“the Court”), [o:West Court] (“the Court”), [o:the Court]", [1, 2, 3]),
        ("on [d:3 May 1996], [d:03.05.1996] and [d:4 May 1996]", [1, 1, 2]),
        ("[c:12345/07], [c:12345 / 07] and [c:12345/08]", [1, 1, 2]),
        ("[l:Leeds] and [o:Leeds]", [1, 2]),
        ("[p:Blessing Ada Obi] and her mother, [p:Ada Obi]", [1, 2]),
        ("[p:Nguyen Thi Hoa], [p:Nguyen Van Thang] and [p:Mr Nguyen]", [1, 2, 3]),
        ("[p:Maria Rossi] and [p:Mario Rossi], [p:Ada Berg] and [p:Ada Borg]", [1, 2, 3, 4]),
        ("[p:LEE, ANNA RUTH], signed [p:A. R. Lee]", [1, 1]),
        ("[p:Bert Mad] left. [p:In Bert]'s place. [p:Hi Mdm Bert], [p:Bert for the Club]", [1] * 4),
        ("[p:Bernadette Roe] and [p:Bernie]; [p:Ron], [p:Ronald Berg]", [1, 1, 2, 2]),
        ("[p:Daniel Roe], [p:Danuta Berg]; [p:Dan] and [p:Mr Ron], [p:Ronald Ek]", [1, 2, 3, 4, 5]),
        ("[p:Big Steve] (not [p:Steve from the shop])", [1, 2]),
        ("[p:Mr Jan Paz Ruiz] and [p:Ms Paz Ruiz]", [1, 2]),
        ("[p:T. Bakke] and [p:Ingun Sol]; [p:TB] and [p:IS]", [1, 2, 1, 2]),
        ("[p:T. Bakke] and [p:Tom Berg]; [p:TB] rang", [1, 2, 3]),
        ("[p:Kyle] and [p:Mr Sol]; [p:K.] rang [p:S.]", [1, 2, 1, 3]),
        ("[p:Kyle] and [p:Karin Sol]; [p:K.] rang; [p:Mr K.]", [1, 2, 3, 3]),
        ("[p:Dr Ada Roe FRCPsych], [p:Dr Roe], [p:Ada Roe]", [1, 1, 1]),
        ("[p:T. Bakke], [p:Mr Koh]; [p:Mr K.] left", [1, 2, 2]),
        ("[p:Deirdre O'Shea], [p:Jo Day-Lee], [p:Ann McKay]; [p:DOS], [p:JDL], [p:AMK], [p:AM]",
         [1, 2, 3, 1, 2, 3, 3]),
    ],
)  # fmt: skip
def test_one_entity_or_two(text, wanted):
    assert numbers(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[p:Peter Hale] (52) hit his wife, [p:Susan Hale]. [p:Mr Hale] left [p:Mrs Hale]",
         [1, 2, 1, 2]),
        ("[p:Robin Hale] came with her husband, [p:Kim Hale]. [p:Mrs Hale], [p:Mr Hale]",
         [1, 2, 1, 2]),
        ("his ex-wife [p:Kim Hale]; [p:Robin Hale]. [p:Mr Hale]", [1, 2, 2]),
        ("Next of kin: [p:Kim Brandt], brother. [p:Ms Brandt] was referred", [1, 2]),
        ("[p:Kim Hale] (42), her late husband, and [p:Robin Hale]; [p:Mrs Hale]", [1, 2, 2]),
        ("[p:Kim Hale], his wife and [p:Robin Hale] (mother of two); [p:Mr Hale]", [1, 2, 1]),
        ("my aunt’s son [p:Kim] is [p:Kim Hale]; [p:Mrs Hale]", [1, 1, 2]),
        ("[p:Peter Hale] and [p:Susan Hale]. [p:Mme Hale], [p:Sir P. Hale]", [1, 2, 2, 1]),
        ("Mr [p:Susan Hale] is [p:Susan Hale]; [p:Ms Hale]", [1, 1, 2]),
        ("[p:Dr Kim Hale] treated [p:Mrs Jo Hale]. [p:Dr Hale] wrote", [1, 2, 1]),
        ("[p:Dr Kim Hale] and [p:Dr Jo Hale]. [p:Dr Hale] wrote", [1, 2, 2]),
        ("[p:Kim Hale] and [p:Jo Hale]. [p:Mr Hale] left", [1, 2, 2]),
        ("[p:Helena Roe], her mother [p:Mrs Ada Roe]; [p:Ms Roe], [p:Mrs Roe]", [1, 2, 1, 2]),
        ("[p:Mr A.] and [p:Mrs A.] rang her sister. [p:Mr A.] left", [1, 2, 1]),
        ("[p:Mrs Ada Roe]; [p:Ms Roe], [p:Miss Roe]", [1, 1, 1]),
    ],
)  # fmt: skip
def test_a_man_is_no_woman_of_his_name(text, wanted):
    assert numbers(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[p:Ian Roe] fell. [p:Ian Roe Jnr] rang. [p:Mr Roe] died; [p:Mr Roe] junior wept",
         [1, 2, 1, 2]),
        ("[p:Ian Roe Sr.], [p:Ian Roe Jr.], [p:Mr Roe] senior", [1, 2, 1]),
        ("[p:Ian Roe Jr.] came. [p:Mr Roe] left", [1, 1]),
        ("[p:Ian Roe] is her son. My son [p:Ian] left", [1, 1]),
    ],
)  # fmt: skip
def test_a_father_is_not_his_son_of_the_same_name(text, wanted):
    assert numbers(text) == wanted


def test_telephone_and_address_in_brackets_are_two():
    assert numbers("[c:01603 555 219] ([c:kate@harcourt.example])") == [1, 2]
