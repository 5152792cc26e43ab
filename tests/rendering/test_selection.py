from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_report import column, described
from qidguard.core.column import ValueType
from qidguard.core.kind import Sensitivity, Tier
from qidguard.core.recognizer import RoleProposal
from qidguard.core.role import DecidedBy, Role
from qidguard.rendering.columns import column_notes, selected, short_note
from qidguard.rendering.console import console_text
from qidguard.rendering.notebook import to_html_fragment


def of(role: Role, distinct: int, name: str = "c"):
    """Return a column of eight records."""
    return column(name, role, ValueType.TEXT, distinct)


def test_insensitive_columns_go_first_when_there_is_no_room():
    """A quasi-identifier of low risk is worth more of a look than an insensitive column of high risk."""
    columns = [
        of(Role.INSENSITIVE, 8, "cost"),
        of(Role.QUASI_IDENTIFIER, 2, "sex"),
        of(Role.UNCLASSIFIED, 3, "x"),
    ]
    assert [c.facts.name for c in selected(columns, most=2).columns] == ["sex", "x"]


@given(st.lists(st.integers(0, 8), max_size=12), st.integers(1, 5))
def test_a_selection_keeps_the_tables_order_and_loses_nothing(risks, most):
    """What is shown and what is left out add up; no column left out has more risk than one shown."""
    columns = [of(Role.QUASI_IDENTIFIER, distinct, str(i)) for i, distinct in enumerate(risks)]
    chosen = selected(columns, most)
    names = [int(c.facts.name) for c in chosen.columns]
    assert len(names) + chosen.left_out == len(columns)
    assert names == sorted(names)
    left = [c.facts.risk for c in columns if int(c.facts.name) not in names]
    assert not left or max(left) <= min(c.facts.risk for c in chosen.columns)


def test_notes_speak_of_facts_and_reasons():
    """Columns all missing, of one value, all different or with NaN are noted; nobody's reason is not."""
    report = described()
    note = lambda c: column_notes(c, report)  # noqa: E731 - four short questions
    assert note(column("c", Role.INSENSITIVE, ValueType.EMPTY, 0, 8)) == "every value is missing"
    assert note(of(Role.INSENSITIVE, 1)) == "one value only"
    assert note(of(Role.INSENSITIVE, 8)) == "a different value in each record"
    assert note(of(Role.INSENSITIVE, 5)) == "as many values as entities"
    nan = of(Role.INSENSITIVE, 3)
    assert note(replace(nan, facts=replace(nan.facts, not_a_number=2))) == "2 × not a number (NaN)"
    unknown = column("c", Role.UNCLASSIFIED, ValueType.TEXT, 3, by=DecidedBy.NOBODY, reason="no idea")
    assert note(unknown) == ""


LONG = "its name has 'tabaco' (smoking, alcohol, drugs and habits of health)"
HEALTH = "health, a special category of GDPR article 9"
SHORT_NOTES = [
    ("its name has 'age' (age); yet it has 400 values", None, 74, "its name has 'age' (age)"),
    ("its name has 'hiv' (diagnosis)", HEALTH, 90, f"its name has 'hiv' (diagnosis); sensitive: {HEALTH}"),
    (LONG, HEALTH, 74, f"its name has 'tabaco'; {HEALTH}"),
    (LONG, HEALTH, 40, "its name has 'tabaco'"),
]


@pytest.mark.parametrize(("reason", "law", "room", "line"), SHORT_NOTES)
def test_a_reason_is_one_line_on_a_console(reason: str, law: str | None, room: int, line: str) -> None:
    """Why it has its role, by which law it is sensitive, then what fits; the rest is in the document."""
    shown = column("c", Role.SENSITIVE, ValueType.TEXT, 3, by=DecidedBy.LEXICON, reason=reason)
    why = None if law is None else Sensitivity(tier=Tier.SPECIAL, category="health")
    proposed = RoleProposal(assignment=shown.assignment, confidence=0.9, sensitivity=why)
    shown = replace(shown, proposals=(proposed,))
    assert short_note(shown, described(), room) == line
    report = replace(described(), columns=(shown,))
    notes = [one for one in console_text(report, 80).splitlines() if one.startswith("      ")]
    assert len(notes) == 1


def wide(qids: int, others: int = 3):
    """Return the report of a table with many columns, of which these are quasi-identifiers."""
    columns = [of(Role.INSENSITIVE, 8, f"cost{i}") for i in range(others)]
    columns += [of(Role.DIRECT_IDENTIFIER, 8, "mrn")]
    columns += [of(Role.QUASI_IDENTIFIER, 2 + i % 5, f"qid{i:03}") for i in range(qids)]
    return replace(described(), columns=tuple(columns))


@pytest.mark.parametrize(("qids", "width"), [(39, 100), (41, 60), (77, 100), (300, 120)])
def test_every_quasi_identifier_of_a_wide_table_is_shown_first(qids, width):
    """However many there are, none is cut; those beyond 40 stand in short with kind, giver and risk."""
    lines = console_text(wide(qids), width).splitlines()
    text = "\n".join(lines[next(i for i, line in enumerate(lines) if line.startswith("Columns")) :])
    assert all(f"qid{i:03}" in text for i in range(qids))
    assert qids < 40 or text.index("qid000") < text.index("mrn" if "mrn" in text else "more columns are left")
    assert f"quasi-identifiers (QIDs)  {qids}" in text
    assert (f"and {qids - 40} more" in text) == (qids > 40)
    assert all(len(line) <= width for line in lines)


def test_a_notebook_shows_every_quasi_identifier():
    """A page has room for a row each."""
    page = wide(77)
    assert all(f"qid{i:03}" in to_html_fragment(page) for i in range(77))
