"""The kind of a column is recognized from its values, its name and its codebook; what is unsure is asked."""

import random

import pandas as pd
import pytest

import qidguard
from identifier_columns import identifiers
from qidguard.core.kind import KindAssignment
from qidguard.engines.base import ReadOptions
from qidguard.sdk import ColumnKind

N = 600
DRAWN = random.Random(5)  # noqa: S311 - the same table on every run


def some(values, weights=None):
    """Return a value for each record, the same on every run."""
    return DRAWN.choices(list(values), weights, k=N)


COLUMNS = {
    # name → (values, kind); a question mark where a person is asked
    "c_words": (some(["red", "green", "blue"]), "nominal"),
    "c_true": (some([True, False]), "nominal"),
    "c_flag": (some([0, 1]), "nominal"),
    "c_levels": (some(["low", "medium", "high"]), "ordinal"),
    "c_niveau": (some(["sehr gut", "gut", "befriedigend", "mangelhaft"]), "ordinal"),
    "c_likert": (some(["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]), "ordinal"),
    "c_schooling": (some(["Bachelor", "Master", "High School", "PhD"]), "ordinal"),
    "c_bands": (some([f"{a}-{a + 9}" for a in range(20, 80, 10)]), "ordinal"),
    "c_brackets": (some(["<10k", "10k-50k", "50k-100k", ">100k"]), "ordinal"),
    "c_doors": (some(["2", "3", "4", "5more"]), "ordinal"),
    "c_few": (some(range(8), [9, 8, 7, 6, 4, 3, 2, 1]), "count"),
    "c_ages": (some(range(18, 95)), "count"),
    "c_scale": (some([1, 2, 3, 4, 5]), "count?"),
    "c_three": (some([0, 1, 2]), "count?"),
    "c_euros": ([round(DRAWN.gauss(2000, 500), 2) for _ in range(N)], "amount"),
    "c_income": (some(range(10_000, 90_000, 500)), "amount"),
    "c_loans": (some(range(317, 60_000, 7)), "amount"),
    "c_sparse": (some([11, 23, 47, 92, 99]), "code"),
    "c_pair": (some([1, 2]), "code"),
    "c_zeros": (some([f"{n:03}" for n in (1, 7, 12, 44, 105, 230)]), "code"),
    "c_icd": (some(["E11.9", "I10", "J45.0", "F32.1", "M54.5"]), "code"),
    "c_answers": (some([1, 2, 3, 4, 98, 99]), "code"),
    "c_short": (some(["A11", "A12", "B14", "B21"]), "code"),
    "admission_type_id": (some(range(1, 9)), "code"),
    "payer_code": (some(["MC", "HM", "SP", "BC"]), "code"),
    "c_years": (some(range(1950, 2010)), "period"),
    "c_yyyymm": (some([202001, 202002, 202012, 202106]), "period"),
    "c_quarters": (some(["2020Q1", "2020Q2", "2020Q3", "2021Q1"]), "period"),
    "c_months": (some(["January", "February", "March", "June"]), "period"),
    "c_weekdays": (some(["Montag", "Dienstag", "Freitag"]), "period"),
    "c_school_years": (some(["2019/20", "2020/21", "2021/22"]), "period"),
    "c_clock": (some([f"{h:02}:30" for h in range(24)]), "period"),
    "c_days": (pd.to_datetime(some([f"2020-0{m}-11" for m in range(1, 9)])), "date"),
    "c_written": (some([f"{d}.03.2020" for d in range(1, 29)]), "date"),
    "c_lands": (some(["Germany", "France", "Spain", "Italy"]), "place"),
    "zip": (some(range(10_115, 99_000, 13)), "place"),
    "c_notes": (
        [f"the patient came back on day {n} and felt better than before" for n in range(N)],
        "text",
    ),
    "c_serial": (list(range(7, N + 7)), "key"),
    "c_uuid": ([f"{DRAWN.getrandbits(128):032x}"[:8] + f"-{n:04}" for n in range(N)], "key"),
    "patient_id": (some(range(100_000, 900_000)), "key"),
    "c_phones": ([f"+49 30 {n}" for n in range(1_234_567, 1_234_567 + N)], "key"),
    "c_mails": ([f"a{n}@mail.example" for n in range(N)], "key"),
    # two stays of each patient
    **{f"c_{name}": (identifiers(name, 0, 5, N // 2) * 2, "key") for name in ("kvnr", "vin", "sin", "bsn")},
    "c_blood": (some(["A+", "0-", "AB+", "B-"]), "nominal"),
    "c_atc": (some(["A10BA02", "C09AA05", "N02BE01", "J01CA04", "R03AC02"]), "code"),
    "sex": (some([1, 2, 9]), "code"),
    "education": (some(range(1, 17)), "ordinal"),
    "hours_per_week": (some(range(1, 99)), "count"),
    "number_of_diagnoses": (some(range(1, 12)), "count"),
    "monthly_income": (some(range(900, 9_000, 7)), "amount"),
    "blood_pressure": (some(range(90, 180)), "amount"),
    "final_grade": (some(["A", "A-", "B+", "C", "D"]), "ordinal"),
    "weight_kg": (some(range(45, 120)), "amount"),
    "religion": (some(["a", "b", "c"]), "nominal"),
    "birth_year": (some(range(1930, 2005)), "period"),
}


@pytest.fixture(scope="module")
def kinds() -> dict[str, KindAssignment]:
    """Return the kind of each column of one table."""
    table = pd.DataFrame({name: values for name, (values, _) in COLUMNS.items()})
    with qidguard.audit(table) as found:
        return {column.facts.name: column.kind for column in found.report.columns if column.kind}


@pytest.mark.samples(17)
@pytest.mark.parametrize("name", COLUMNS)
def test_values_and_names_say_what_a_column_is(name, kinds) -> None:
    """Codes, counts, amounts, grades, periods, places, keys and texts are told apart."""
    kind = kinds[name]
    assert kind.kind.value + ("" if kind.is_sure else "?") == COLUMNS[name][1], kind.reason


def test_every_kind_comes_with_a_reason_and_a_confidence(kinds) -> None:
    """A reason is a sentence without a value of a small class; a confidence lies in 0..1."""
    assert set(kinds) == set(COLUMNS)
    assert all(kind.reason and 0 < kind.confidence <= 1 for kind in kinds.values())


def test_an_empty_column_has_no_kind() -> None:
    """Of a column without values nothing is said."""
    with qidguard.audit(pd.DataFrame({"x": [None, None], "n": [1, 1]})) as found:
        assert found.report.columns[0].kind is None


def test_a_codebook_with_labels_of_values_makes_codes(tmp_path) -> None:
    """Numbers from 1 on without a gap are codes once a codebook says what each stands for."""
    book = tmp_path / "book.xml"
    book.write_text(
        '<codeBook xmlns="ddi:codebook:2_5"><dataDscr><var name="V1"><labl>Satisfied?</labl>'
        "<catgry><catValu>1</catValu><labl>yes</labl></catgry></var>"
        '<var name="V2"><labl>Trips</labl></var></dataDscr></codeBook>',
        encoding="utf-8",
    )
    table = pd.DataFrame({"V1": [1, 2, 3] * 20, "V2": [1, 2, 3] * 20})
    with qidguard.audit(table, read=ReadOptions(codebook=book)) as found:
        kinds = [(column.kind.kind, column.kind.is_sure) for column in found.report.columns if column.kind]
    assert kinds == [(ColumnKind.CODE, True), (ColumnKind.COUNT, False)]
