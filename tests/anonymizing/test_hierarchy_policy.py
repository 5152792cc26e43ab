"""The hierarchies of a policy, bound to a table; errors name the line and no value."""

import pytest

from hierarchy_columns import numbers, published, texts
from qidguard.anonymizing.hierarchy import bind_hierarchies, read_declared
from qidguard.core.column import ColumnValues
from qidguard.core.errors import DataError, PolicyError
from qidguard.policy import Policy, parse_policy

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

    def __init__(self, *columns: ColumnValues) -> None:
        self.columns = {column.name: column for column in columns}
        self.was_read: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(self.columns)

    @property
    def records(self) -> int:
        """Number of records."""
        return 3

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


def test_no_section_binds_nothing():
    """A policy without hierarchies reads no column."""
    table = Columns()
    assert bind_hierarchies(parse_policy(HEAD.replace("hierarchies:\n", ""), "p.yaml"), table) == {}
    assert table.was_read == []


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
    "section",
    [
        "  sex: {file: sex.csv}\n",
        "  sex: {intervals: [5]}\n",
        "  sex: {dates: [year]}\n",
        "  sex: {taxonomy: sex.yaml}\n",
        "  sex: {auto: quantiles}\n",
    ],
)
def test_what_does_not_fit_is_said_at_its_line(policy, tmp_path, section):
    """The error begins with the line of the column's hierarchy, and holds no value of the table."""
    (tmp_path / "sex.csv").write_text("f;*\n", encoding="utf-8")
    (tmp_path / "sex.yaml").write_text("g: [f]\n", encoding="utf-8")
    with pytest.raises(PolicyError) as error:
        bind_hierarchies(policy(section), Columns(texts("f", SECRET, name="sex")))
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
