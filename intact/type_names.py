"""What other tools call the entity types of the Text Anonymization Benchmark."""

from __future__ import annotations

from collections.abc import Mapping

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "PERSON": ("PER", "PERSON", "PERSONS", "PERSON_NAME", "NAME", "PATIENT", "DOCTOR"),
    "CODE": (
        "EMAIL", "EMAIL_ADDRESS", "PHONE", "PHONE_NUMBER", "CREDIT_CARD", "CRYPTO", "IBAN",
        "IBAN_CODE", "IP", "IP_ADDRESS", "MAC_ADDRESS", "URL", "USERNAME", "PASSWORD", "ID",
        "US_SSN", "US_BANK_NUMBER", "US_DRIVER_LICENSE", "US_ITIN", "US_PASSPORT", "UK_NHS",
        "UK_NINO", "US_NPI", "US_MBI", "MEDICAL_LICENSE", "ES_NIF", "ES_NIE", "IT_FISCAL_CODE",
        "IT_DRIVER_LICENSE", "IT_VAT_CODE", "IT_PASSPORT", "IT_IDENTITY_CARD", "PL_PESEL",
        "SG_NRIC_FIN", "SG_UEN", "AU_ABN", "AU_ACN", "AU_TFN", "AU_MEDICARE", "IN_PAN",
        "IN_AADHAAR", "IN_VEHICLE_REGISTRATION", "IN_VOTER", "IN_PASSPORT",
        "FI_PERSONAL_IDENTITY_CODE", "KR_RRN", "TH_TNIN",
    ),
    "LOC": ("GPE", "LOCATION", "PLACE", "ADDRESS", "FAC", "FACILITY", "CITY", "COUNTRY", "STREET"),
    "ORG": ("ORGANIZATION", "ORGANISATION", "COMPANY", "INSTITUTION"),
    "DEM": ("NORP", "NRP", "LANGUAGE", "NATIONALITY", "PROFESSION", "OCCUPATION", "TITLE"),
    "DATETIME": ("DATE", "TIME", "DATE_TIME", "DURATION", "AGE"),
    "QUANTITY": ("QUANTITY", "MONEY", "PERCENT", "CARDINAL", "NUMBER"),
    "MISC": ("EVENT", "LAW", "PRODUCT", "WORK_OF_ART", "OTHER"),
}  # fmt: skip
_TYPES = {alias: kind for kind, aliases in _ALIASES.items() for alias in (kind, *aliases)}


def tab_type(name: str) -> str:
    """The type that ``name`` stands for, or ``name`` itself where that is not known.

    Knows the names that Presidio, spaCy (OntoNotes), CoNLL-2003, doccano's and Textwash's users
    give; upper or lower case, hyphens or underscores.
    """
    return _TYPES.get(name.strip().upper().replace("-", "_").replace(" ", "_"), name)
