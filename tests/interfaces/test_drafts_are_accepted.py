"""A draft of a policy is one that ``audit`` takes as it stands: it judges, and blocks what is open."""

import random
from pathlib import Path

import pandas as pd
import pytest

import qidguard
from qidguard.engines.base import ReadOptions
from qidguard.interfaces.cli import main
from qidguard.interfaces.drafting import drafted
from qidguard.policy import load_policy, parse_policy
from qidguard.policy.source import Numbers

DRAWN = random.Random(3)  # noqa: S311 - the same tables on every run
STRANGE = [
    "null", "~", "yes", "2020", "2020-01-01", "1e3", "?", "*", "&a", "!!str", "{a}", "[a]", "a: b",
    "# x", "x # y", "- dash", "<<", "=", "line\nbreak", "tab\there", "\u2028", "naïve 🩺", "'", '"', "\\",
    "SELECT; DROP TABLE", "%YAML 1.1", "x" * 1_500, "[red]age[/red]", "\x1b[31mzip", "roles", "kinds", "auto",
]  # fmt: skip
VALUES = {
    "words": ["red", "green", "blue"],
    "codes": [11, 23, 47, 92],
    "years": list(range(1950, 2010)),
    "bands": ["20-29", "30-39", "40-49"],
    "amounts": [x / 7 for x in range(900, 1800)],
    "diagnoses": ["E11.9", "I10", "J45.0", "F32.1", "M54.5"],
    "people": [f"p{i}@example.org" for i in range(60)],
    "empty": [None],
    "notes": [f"patient no {i} was seen again by the doctor on duty" for i in range(60)],
}
ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
    "income",
)
GERMAN = (
    *("checking", "duration", "credit_history", "purpose", "amount", "savings", "employment"),
    *("installment_rate", "personal_status", "other_debtors", "residence_since", "property", "age"),
    *("other_installment", "housing", "existing_credits", "job", "dependents", "telephone"),
    *("foreign_worker", "class"),
)
REAL = {
    "adult/adult.data": ReadOptions(has_header=False, columns=ADULT, missing=("?",), is_trimmed=True),
    "german/german.data": ReadOptions(has_header=False, delimiter="whitespace", columns=GERMAN),
    "hospital/diabetic_data.csv": ReadOptions(missing=("?",)),
    "heart/heart_hungarian.data": ReadOptions(),
    "nursery/nursery.data": ReadOptions(),
    "car/car.data": ReadOptions(),
    "diabetes_logs/diabetes.data": ReadOptions(),
    "microaggregation/census.csv": ReadOptions(),
    "microaggregation/tarragona.csv": ReadOptions(),
}


def accepted(source: object, read: ReadOptions = ReadOptions()) -> qidguard.AuditReport:  # noqa: B008 - frozen
    """Return the report on a table under its own draft."""
    with qidguard.audit(source, read=read) as described:
        report = described.report
    outside = () if report.outside is None else report.outside.identifying
    policy = parse_policy(drafted(report.columns, "draft", read, outside))
    for column in report.columns:
        if column.kind is not None and column.kind.is_sure:
            assert policy.kinds[column.facts.name] is column.kind.kind
    with qidguard.audit(source, policy) as judged:
        return judged.report


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_table_with_strange_names_has_a_draft_that_is_accepted(seed: int) -> None:
    """Whatever columns are called and hold, the draft is a policy that fits its table."""
    names = STRANGE[seed::4]
    columns = {}
    for at, name in enumerate(names):
        values = VALUES[list(VALUES)[(at + seed) % len(VALUES)]]
        columns[name] = DRAWN.choices(values, k=60)
    report = accepted(pd.DataFrame(columns))
    assert report.verdict is not None
    assert not [block for block in report.verdict.blocks if block.is_internal]
    assert [column.facts.name for column in report.columns] == names


def test_a_table_of_every_kind_has_a_draft_that_is_accepted() -> None:
    """What is open blocks by its own rule; nothing else is wrong with the draft."""
    table = pd.DataFrame({f"c_{name}": DRAWN.choices(values, k=90) for name, values in VALUES.items()})
    report = accepted(table)
    assert report.verdict is not None
    assert {block.rule for block in report.verdict.blocks} <= {
        "unnamed_columns",
        "outside_qids",
        "column_names",
    }


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("name", REAL)
def test_a_real_table_has_a_draft_that_is_accepted(name: str, data: Path) -> None:
    """The draft names every column that recognizers know, and ``audit`` judges by it without a fault."""
    report = accepted(str(data / name), REAL[name])
    assert report.verdict is not None
    assert not [block for block in report.verdict.blocks if block.is_internal]


WITH_QIDS = ("adult/adult_arx.csv", "german/german.data", "heart/heart_hungarian.data")
METHODS = ("mondrian", "k_member", "mdav", "v_mdav", "blocks", "full_domain", "local_suppression")


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", WITH_QIDS)
def test_a_method_makes_a_real_table_meet_its_draft(name: str, method: str, data: Path) -> None:
    """Race and foreign workers are QIDs and sensitive; once what is open is decided, k = 11 holds."""
    read = REAL.get(name, ReadOptions())
    with qidguard.audit(str(data / name), read=read) as described:
        drawn_up = drafted(described.report.columns, "draft", read)
    policy = parse_policy(drawn_up.replace("unnamed_columns: block", "unnamed_columns: insensitive"))
    assert set(policy.roles.quasi_identifiers) & set(policy.roles.sensitive) or name.startswith("heart")
    with qidguard.anonymize(str(data / name), policy, anonymizer=method, seed=1, losses=()) as made:
        assert made, made.sentences
        qids = list(policy.roles.quasi_identifiers)
        assert made.to_pandas().groupby(qids, dropna=False).size().min() >= 11


def test_a_draft_reads_numbers_and_dates_as_they_are_written(tmp_path, capsys):
    """What the values leave no doubt of stands in the draft, and a table judged by it is read so."""
    table, draft = tmp_path / "t.csv", tmp_path / "p.yaml"
    rows = (f"{30 + i};{900 + i},5{i % 2};{13 + i % 9}.{1 + i % 12}.2024\n" for i in range(40))
    table.write_text("age;income;admitted\n" + "".join(rows))
    assert main(["policy", "init", str(table), "-o", str(draft), "--quiet"]) == 0
    policy = load_policy(draft)
    assert (policy.source.numbers, policy.source.dates) == (Numbers(decimal=","), ("%d.%m.%Y",))
    with qidguard.audit(table, policy=policy) as judged:
        kinds = {column.facts.name: column.facts.value_type.value for column in judged.report.columns}
    assert kinds == {"age": "integer", "income": "number", "admitted": "date"}
    assert capsys.readouterr().err == ""
