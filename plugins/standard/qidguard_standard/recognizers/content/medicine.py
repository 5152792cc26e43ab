"""What tells of somebody's health: codes of diagnoses, drugs by the stems of their names, diagnoses in words."""

# ruff: noqa: E501, SIM905 - lists of words and patterns are read in one piece

from functools import cache
from importlib import import_module

from qidguard.sdk import ContentTest, ValueType

_COMMON_ICD10 = frozenset(
    "A09 A41 A49 B18 B20 B34 B35 B37 B96 C18 C34 C43 C44 C50 C53 C61 C64 C67 C73 C78 C79 C90 C91 D12 D22 D25 D50 D64 "
    "D69 E03 E04 E05 E10 E11 E16 E55 E66 E78 E86 E87 F03 F10 F17 F20 F32 F33 F41 F43 F45 F90 G20 G35 G40 G43 G44 G47 "
    "G56 G62 H10 H25 H26 H35 H40 H52 H61 H66 I10 I11 I20 I21 I25 I26 I35 I42 I47 I48 I49 I50 I61 I63 I64 I67 I69 I70 "
    "I73 I80 I82 I83 I95 J00 J01 J02 J03 J06 J11 J15 J18 J20 J21 J30 J32 J40 J42 J44 J45 J96 J98 K02 K04 K08 K21 K25 "
    "K26 K29 K30 K35 K40 K50 K51 K52 K56 K57 K58 K59 K63 K64 K70 K74 K76 K80 K85 K92 L02 L03 L20 L23 L30 L40 L50 L60 "
    "L70 L82 L89 L97 M06 M10 M16 M17 M19 M23 M25 M47 M48 M50 M51 M53 M54 M75 M77 M79 M81 N10 N17 N18 N20 N28 N30 N39 "
    "N40 N76 N80 N81 N92 N94 N95 O20 O26 O32 O34 O36 O42 O47 O48 O60 O68 O69 O70 O80 O82 O99 P07 P22 P59 R00 R05 R06 "
    "R07 R09 R10 R11 R13 R19 R21 R31 R39 R40 R42 R50 R51 R52 R53 R55 R56 R60 R63 R69 R73 R79 S00 S01 S06 S22 S32 S42 "
    "S52 S60 S61 S62 S72 S82 S83 S93 T14 T78 T81 T84 T88 Z00 Z01 Z03 Z12 Z20 Z23 Z30 Z34 Z38 Z47 Z48 Z51 Z63 Z71 Z73 "
    "Z76 Z79 Z85 Z86 Z87 Z88 Z90 Z91 Z92 Z95 Z96 Z98 Z99".split()
)
"""Categories that make up much of what is coded in practices and hospitals."""

_STEM = (
    "pril|sartan|statin|olol|azole|cillin|mab|tinib|dipine|gliptin|gliflozin|glitazone|triptan|oxetine|azepam|zolam|"
    "mycin|floxacin|cycline|vir|caine|parin|xaban|gatran|tidine|setron|profen|fenac|codone|morphine|barbital|idone|"
    "apine|thiazide|semide|lukast|terol|sone|solone|onide|formin|glutide|ciclib|platin|rubicin|taxel|triptyline|"
    "vudine|conazole|oxacin|cef\\w+|prazole|bicin|coxib"
)
_DRUGS = (
    "insulin|metformin|aspirin|acetaminophen|paracetamol|ibuprofen|warfarin|heparin|digoxin|lithium|methotrexate|"
    "tamoxifen|levothyroxine|prednisone|amiodarone|gabapentin|pregabalin|sertraline|citalopram|tramadol|naloxone|"
    "oxycodone|fentanyl|penicillin|hydrochlorothiazide|furosemide|clopidogrel|glyburide|glipizide|glimepiride|"
    "epinephrine|nitroglycerin|albuterol|simvastatin|cetirizine|loratadine|naproxen|estradiol|testosterone"
)
_DIAGNOSIS = (
    r"\w+(?:itis|osis|emia|oma|pathy|algia|uria|plegia|penia|phobia|ämie|emie|ite|ose)|diabetes\w*|cancer|carcinoma|"
    "asthma|hypertension|fracture|infection|influenza|stroke|syndrome|disorder|disease|infarction|failure|neoplasm|"
    "pregnancy|depression|anxiety|dementia|epilepsy|hiv|sprain|injury|wound|fever|obesity|hyperlipidemia|concussion|"
    r"flu|copd|measles|hepatitis|pneumonia|migraine|krebs|bruch|grippe|\w+krankheit|\w+störung|maladie|enfermedad|"
    "doença|malattia|ziekte"
)


def is_common_icd10(text: str) -> bool:
    """Return whether an ICD-10 code is of a common category.

    Example:
        >>> is_common_icd10("E11.9"), is_common_icd10("A11")
        (True, False)
    """
    return text[:3].upper() in _COMMON_ICD10


@cache
def _verhoeff() -> object:
    return import_module("stdnum.verhoeff")


def is_snomed(text: str) -> bool:
    """Return whether a number is one of a SNOMED CT concept: its partition, and its digit after Verhoeff.

    Example:
        >>> is_snomed("73211009"), is_snomed("73211008")
        (True, False)
    """
    module: object = _verhoeff()
    valid: object = module.is_valid(text)  # type: ignore[attr-defined]
    return text[-3:-1] in {"00", "10"} and valid is True


MEDICINE = (
    ContentTest(
        name="icd10",
        title="codes of diagnoses (ICD-10)",
        pattern=r"[A-TV-Z][0-9][0-9AB](?:\.?[0-9A-Z]{1,4})?",
    ),
    ContentTest(
        name="icd10_common",
        title="codes of common diagnoses (ICD-10)",
        pattern=r"[A-TV-Z][0-9][0-9AB](?:\.?[0-9A-Z]{1,4})?",
        holds=is_common_icd10,
        chance=0.098,
    ),
    ContentTest(
        name="icd9",
        title="codes of diagnoses (ICD-9)",
        pattern=r"[0-9]{1,3}(?:\.[0-9]{1,2})?|V[0-9]{2}(?:\.[0-9]{1,2})?|E[0-9]{3}(?:\.[0-9])?",
    ),
    ContentTest(
        name="icd9_lettered",
        title="codes of causes (ICD-9)",
        pattern=r"V[0-9]{2}(?:\.[0-9]{1,2})?|E[89][0-9]{2}(?:\.[0-9])?",
    ),
    ContentTest(
        name="atc", title="codes of drugs (ATC)", pattern="[ABCDGHJLMNPRSV][0-2][0-9][A-Z]{2}[0-9]{2}"
    ),
    ContentTest(
        name="ndc",
        title="codes of drugs (NDC)",
        pattern="[0-9]{5}-[0-9]{4}-[0-9]{1,2}|[0-9]{4}-[0-9]{4}-[0-9]{2}|[0-9]{5}-[0-9]{3}-[0-9]{2}",
    ),
    ContentTest(
        name="snomed",
        title="codes of SNOMED CT",
        pattern="[1-9][0-9]{5,17}",
        holds=is_snomed,
        value_types=(ValueType.TEXT, ValueType.INTEGER),
        chance=0.002,
    ),
    ContentTest(
        name="drug", title="drugs", pattern=rf"(?:.*\W)?(?:[a-z]{{3,}}(?:{_STEM})|{_DRUGS})(?:\W.*)?"
    ),
    ContentTest(
        name="diagnosis", title="diagnoses in words", pattern=rf"(?:.*\W)?(?:{_DIAGNOSIS})s?(?:\W.*)?"
    ),
)
"""Tests of what tells of health."""
