import pytest

from intact.english.languages import foreign_paragraphs, reads_english

ENGLISH = [
    "Ms Lee was seen at the clinic on 4 March. She takes paracetamol twice a day.",
    "She lives alone since her husband died and works part time in a bakery.",
]
FOREIGN = [
    "Der Patient klagt seit gestern über starke Schmerzen in der Brust.",
    "Ma sœur habite à Lyon. Elle m'a dit que son mari avait été licencié en mars.",
    "Kız kardeşim İzmir'de oturuyor ve öğretmen olarak çalışıyor.",
    "El paciente se queja de dolor en el pecho desde ayer.",
    "Mijn zus woont in Utrecht en werkt daar als lerares.",
    "Pacjent od wczoraj skarży się na silny ból w klatce piersiowej.",
    "Er sagte: Das geht nicht.\nWir kommen morgen wieder.\nSie wurde operiert.",
]
NAMES = [
    "The applicant, Mr José María de la Cruz van der Berg, complained to the Tribunal de Paris.",
    "See Müller v. Austria, no. 5849/72; Yıldız and Others v. Turkey, nos. 3421/06 et al.",
    "His address was Rue de la Paix 12, 75002 Paris; later Calle de la Princesa 4, Madrid.",
    "Pt c/o SOB and CP since a.m. Meds: metformin 500 mg bd, ramipril 5 mg od. Plan: ECG, CXR.",
]


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.parametrize("place", range(3))
def test_a_paragraph_in_another_language_is_found_wherever_it_stands(foreign, place):
    text = "\n\n".join([*ENGLISH[:place], foreign, *ENGLISH[place:]])
    found = [span.of(text) for span in foreign_paragraphs(text)]
    assert found == foreign.split("\n")
    assert reads_english(text)


@pytest.mark.parametrize("english", NAMES)
def test_foreign_names_in_english_are_english(english):
    assert not foreign_paragraphs(f"{ENGLISH[0]}\n\n{english}\n\n{ENGLISH[1]}")


def test_a_foreign_document_is_not_english():
    assert not reads_english("\n\n".join(["Bericht", *FOREIGN]))
