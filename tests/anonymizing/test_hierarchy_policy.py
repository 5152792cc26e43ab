"""The hierarchies of a policy, bound to a table, with digests of their files; those of labels alone."""

from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hierarchy_columns import numbers, published, texts
from qidguard.anonymizing.declared import DeclaredHierarchies, LabelHierarchies
from qidguard.anonymizing.hierarchy.policy import bind_hierarchies, hierarchy_digests, read_declared
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.core.column import ColumnValues
from qidguard.core.errors import DataError, PolicyError
from qidguard.policy import Policy, parse_policy
from qidguard.sdk import Recoded, automatic_hierarchy
from snapshots import snapshot_of

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
HEAD = """\
qidguard: 1
name: p
preset: pdpc-sg-5
roles: {quasi_identifiers: [age, sex, visit, postcode, illness, job, income, income2]}
hierarchies:
"""


class Columns:
    """A table of columns that counts what is read."""

    records = 3

    def __init__(self, *columns: ColumnValues) -> None:
        self.columns = {column.name: column for column in columns}
        self.names = tuple(self.columns)
        self.was_read: list[str] = []

    def column(self, name: str) -> ColumnValues:
        """Return a column."""
        self.was_read.append(name)
        if name not in self.columns:
            raise DataError(f"there is no column {name!r}")
        return self.columns[name]


@pytest.fixture
def policy(tmp_path):
    """Return a function that gives a policy in a folder of its own."""

    def make(section: str) -> Policy:
        return parse_policy(HEAD + section, str(tmp_path / "p.yaml"))

    return make


def test_every_way_binds(policy, tmp_path):
    """A file and a taxonomy are found beside the policy; widths, cuts, dates, prefix and auto are made."""
    (tmp_path / "sex.csv").write_text("f,a|b\nm,a|b\n", encoding="latin-1")
    (tmp_path / "icd.yaml").write_text("heart: [angina, stroke]\nlung: [asthma]\n", encoding="utf-8")
    table = Columns(
        numbers(18, 22, 95, name="age"),
        texts("f", "m", name="sex"),
        texts("01/02/2021", "01/05/2021", name="visit"),
        texts("10115", "10999", name="postcode"),
        texts("angina", "asthma", name="illness"),
        texts("a", "b", "c", counts=(1, 1, 5), name="job"),
        numbers(12, 109, name="income"),
        numbers(5, 60, name="income2"),
    )
    found = bind_hierarchies(
        policy(
            "  age: {intervals: [5, 10], from: 2, top: 90}\n"
            "  sex: {file: sex.csv, delimiter: ',', encoding: latin-1}\n"
            "  visit: {dates: [quarter, year], written: '%d/%m/%Y'}\n"
            "  postcode: {prefix: [3, 2]}\n"
            "  illness: {taxonomy: icd.yaml}\n"
            "  job: auto\n"
            "  income: {auto: quantiles}\n"
            "  income2: {cuts: [[0, 10, 50], [0, 50]]}\n"
        ),
        table,
    )
    assert list(found) == list(table.columns)
    assert {name: published(hierarchy, 1) for name, hierarchy in found.items()} == {
        "age": ["[17, 21]", "[22, 26]", ">= 90"],
        "sex": ["a|b", "a|b"],
        "visit": ["2021-Q1", "2021-Q2"],
        "postcode": ["101**", "109**"],
        "illness": ["heart", "lung"],
        "job": ["{a, b}", "{a, b}", "c"],
        "income": ["*", "*"],
        "income2": ["[0, 9]", ">= 50"],
    }


def test_no_section_binds_nothing_and_without_files_there_are_no_digests():
    """A policy without hierarchies reads no column; one whose hierarchies are made reads no file."""
    table, without = Columns(), parse_policy(HEAD.replace("hierarchies:\n", ""), "p.yaml")
    assert bind_hierarchies(without, table) == {}
    assert table.was_read == []
    assert hierarchy_digests(without) == hierarchy_digests(parse_policy(HEAD + "  age: auto\n")) == {}


def test_a_missing_file_costs_no_reading(policy):
    """Every file is read before the first column is, and the error names the line."""
    rules = policy("  age: {intervals: [5]}\n  sex: {file: gone.csv}\n")
    table = Columns(numbers(1, name="age"))
    with pytest.raises(PolicyError, match=r"p\.yaml line 7: there is no hierarchy file gone\.csv; check"):
        bind_hierarchies(rules, table)
    assert table.was_read == []
    with pytest.raises(PolicyError, match="line 6: there is no taxonomy gone"):
        read_declared(policy("  sex: {taxonomy: gone.yaml}\n"))


@pytest.mark.parametrize(
    "way", ["file: sex.csv", "intervals: [5]", "dates: [year]", "taxonomy: sex.yaml", "auto: quantiles"]
)
def test_what_does_not_fit_is_said_at_its_line(policy, tmp_path, way):
    """The error begins with the line of the column's hierarchy, and holds no value of the table."""
    (tmp_path / "sex.csv").write_text("f;*\n", encoding="utf-8")
    (tmp_path / "sex.yaml").write_text("g: [f]\n", encoding="utf-8")
    with pytest.raises(PolicyError) as error:
        bind_hierarchies(policy(f"  sex: {{{way}}}\n"), Columns(texts("f", SECRET, name="sex")))
    assert "p.yaml line 6: " in str(error.value)
    assert SECRET not in str(error.value)


def test_a_column_that_is_not_there_is_said_at_its_line(policy):
    """A table without the column is an error of the policy."""
    with pytest.raises(PolicyError, match=r"line 6: there is no column 'job'"):
        bind_hierarchies(policy("  job: auto\n"), Columns())


def test_only_what_is_asked_for_is_bound(policy):
    """With columns named, the others are not read."""
    table = Columns(numbers(1, 9, name="age"))
    found = bind_hierarchies(policy("  age: {intervals: [5]}\n  job: auto\n"), table, ("age",))
    assert list(found) == table.was_read == ["age"]


def test_files_are_read_once_and_have_the_digests_of_their_bytes(policy, tmp_path):
    """They lie beside the policy; every table is bound to what the digest is of, whatever comes later."""
    contents = {"job.yaml": b"care: [nurse]\n", "age.csv": b"1;old;*\r\n2;old;*\r\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    rules = policy("  job: {taxonomy: job.yaml}\n  sex: auto\n  age: {file: age.csv}\n")
    assert rules.files_beside == {
        ("hierarchies", "job", "taxonomy"): "job.yaml",
        ("hierarchies", "age", "file"): "age.csv",
    }
    expected = {name.split(".")[0]: sha256(content).hexdigest() for name, content in contents.items()}
    assert list(hierarchy_digests(rules).items()) == list(expected.items())
    declared = DeclaredHierarchies.read(rules)
    (tmp_path / "age.csv").write_bytes(b"1;new;*\n")
    (tmp_path / "job.yaml").unlink()
    assert declared.digests == expected
    table = Columns(texts("1", name="age"), texts("nurse", name="job"), texts("f", name="sex"))
    for _ in range(2):
        assert declared.bound_to(table)["age"].labels[1] == (None, "old")


def test_a_digest_changes_with_the_file_alone(policy, tmp_path):
    """Under another name the same bytes have the same digest; one other byte has another."""
    (tmp_path / "a.csv").write_bytes(b"1;*\n")
    (tmp_path / "b.csv").write_bytes(b"1;*\n")
    rules = policy("  age: {file: a.csv}\n  sex: {file: b.csv}\n")
    before = hierarchy_digests(rules)
    assert before["age"] == before["sex"]
    (tmp_path / "b.csv").write_bytes(b"1;+\n")
    after = hierarchy_digests(rules)
    assert (after["age"] == before["age"], after["sex"] == before["sex"]) == (True, False)


def test_a_ready_hierarchy_has_the_digest_of_its_data(policy):
    """Another version may have other groups, so the record names the very data."""
    rules = policy("  age: {ready: age_bands_un}\n  job: {ready: isco08}\n")
    folder = Path(__file__).parents[2] / "qidguard/anonymizing/hierarchy/ready"
    expected = {
        column: sha256((folder / f"{name}.csv").read_bytes()).hexdigest()
        for column, name in (("age", "age_bands_un"), ("job", "isco08"))
    }
    assert hierarchy_digests(rules) == DeclaredHierarchies.read(rules).digests == expected


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("gone.csv", "No such file or directory"),
        (".", "Is a directory"),
        ('"a\\0b.csv"', "its name is not a path"),
        ("~nosuchuser/a.csv", "its name is not a path"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_at_its_line(policy, path, why):
    """One sentence with the line and the remedy."""
    with pytest.raises(PolicyError, match=rf"p\.yaml line 7: the hierarchy's file cannot be read \({why}\)"):
        hierarchy_digests(policy(f"  age: auto\n  sex: {{file: {path}}}\n"))


NAMES = [f"a rather long name of an occupation, number {i:02}" for i in range(8)]
TABLE = pd.DataFrame({"job": NAMES, "age": [20, 21, 22, 23] * 2})


@contextmanager
def recoding(name, values, codes):
    """Yield the original and the published records."""
    with snapshot_of(TABLE) as before:
        recoded = {name: Recoded(codes=np.array(codes), values=values)}
        with before.recode(recoded, np.ones(8, dtype=np.bool_)) as after:
            yield SnapshotRecords(before, "*"), SnapshotRecords(after, "*")


@pytest.fixture
def own():
    """The automatic hierarchy of the jobs."""
    with snapshot_of(TABLE) as before:
        return automatic_hierarchy(before.column("job"))


def test_labels_that_only_a_hierarchy_can_read_get_the_automatic_one(own):
    """Eight long names, of which the rare are called others by their number."""
    level = next(i for i in range(own.levels) if any("other (" in (label or "") for label in own.labels[i]))
    codes = own.groups[level][1:]
    with recoding("job", own.labels[level], codes) as (before, after):
        found = LabelHierarchies({}, before, after, "*")
        assert found["job"].labels == own.labels
        assert (found["job"].groups == own.groups).all()
        assert list(found) == ["job"]
        assert len(found) == 1


def test_what_can_be_read_needs_none():
    """Intervals, the mark, and columns that did not change."""
    with recoding("age", ("[20, 21]", "*"), [0, 0, 1, 1] * 2) as (before, after):
        found = LabelHierarchies({}, before, after, "*")
        assert dict(found) == {}
        assert [found.get(name) for name in ("age", "job", "nowhere")] == [None] * 3


def test_a_declared_one_goes_first(own):
    """The policy says what labels mean."""
    with recoding("job", ("nobody knows",), [0] * 8) as (before, after):
        assert LabelHierarchies({"job": own}, before, after, "*")["job"] is own
        with pytest.raises(KeyError):
            LabelHierarchies({"job": own}, before, after, "*")["age"]
