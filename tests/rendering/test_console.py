import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from example_report import blocked, described, passed
from qidguard.auditing.leaks import with_more
from qidguard.core.report import NextSteps
from qidguard.core.role import Role
from qidguard.core.verdict import Block, judge
from qidguard.rendering.console import console_text, render

WIDTHS = (60, 80, 100, 120)


def wide(columns: int, risky: int = 0, role: Role = Role.QUASI_IDENTIFIER):
    """Return a description of a table with many columns; the last ``risky`` have a different value each."""
    report = described()
    model = report.columns[1]
    return replace(
        report,
        columns=tuple(
            replace(
                model,
                facts=replace(model.facts, name=f"column_{i}", distinct=8 if i >= columns - risky else 1),
                assignment=replace(model.assignment, role=role),
            )
            for i in range(columns)
        ),
    )


def colored(report, **settings) -> str:
    """Return what a color terminal would be sent."""
    file = io.StringIO()
    console = Console(
        file=file, width=80, force_terminal=True, color_system="truecolor", legacy_windows=False, **settings
    )
    console.print(render(report))
    return file.getvalue()


@pytest.mark.parametrize(
    ("report", "word"), [(passed(), "PASSED"), (blocked(), "BLOCKED"), (described(), "DESCRIBED")]
)
def test_the_verdict_comes_first_and_in_words(report, word):
    """The first line of text says the outcome, without the help of color."""
    assert word in console_text(report).splitlines()[1]


def test_a_block_says_what_how_far_and_where_before_the_tables():
    """Each missed threshold and each other reason is a sentence, above the table of thresholds."""
    why = " ".join(console_text(blocked(), 80).split("Thresholds")[0].split())
    assert "over age, sex, zip" in why
    assert "k-anonymity is 1 entity, must be at least 2 (1 short)." in why
    assert "Maximum prosecutor risk is 100%, must be at most 50% (50 percentage points over)." in why
    assert "k-map has no number (no population table was given), must be at least 5." in why
    assert "The policy does not name the column 'room'" in why
    assert "diversity" not in why


def test_thresholds_over_different_columns_each_name_theirs():
    """Where missed thresholds differ in their columns, each sentence says its own."""
    report = blocked()
    first, second, *_ = report.verdict.thresholds
    other = replace(second, measurement=replace(second.measurement, qids=("zip",)))
    text = console_text(replace(report, verdict=judge([first, other])), 120)
    assert "(1 short), over age, sex, zip." in text
    assert "(50 percentage points over), over zip." in text


def test_an_internal_fault_is_called_one():
    """A reason that is a fault of a plugin is told apart from a fault of the data."""
    report = blocked()
    block = replace(report.verdict.blocks[0], is_internal=True)
    text = console_text(replace(report, verdict=judge(report.verdict.thresholds, [block])))
    assert "Internal fault: The policy does not name" in text
    assert "A plugin or qidguard itself failed." in " ".join(text.replace("┃", "").split())


def test_a_description_suggests_and_says_what_to_do_next():
    """Without a policy there are suggested classes, roles with reasons, and the next commands."""
    text = console_text(replace(described(), next_steps=NextSteps(source=("my file.csv",))))
    assert "suggested: over age, sex, zip" in text
    assert "the name says age" in text
    assert "qidguard policy init 'my file.csv' > policy.yaml" in text


def _next(report, width=100):
    """Return what stands below ``Next``, without the commands' indentation."""
    return console_text(report, width).partition("\nNext\n")[2].splitlines()


DECIDE = (
    "  Decide on 1 column; add to the roles of visits.yaml what is so:",
    "    # which of these lists?",
    "    # - room  # nobody knows it",
)
IN_MEMORY = replace(blocked().next_steps, source=None, undecided=0, to_decide=())


@pytest.mark.parametrize(("report", "lines"), [
    (passed(), []),
    (
        blocked(),
        [
            *DECIDE,
            "  Then have a method make it pass:",
            "    qidguard anonymize visits.csv --delimiter ';' --policy visits.yaml -a mondrian",
        ],
    ),
    (replace(blocked(), next_steps=IN_MEMORY),
     ["  Have a method make it pass:", "    qidguard.anonymize(table, policy, anonymizer='mondrian')"]),
    (replace(blocked(), next_steps=replace(IN_MEMORY, source=(), method="")),
     ["  Have a method make it pass:", "    qidguard anonymize --policy visits.yaml"]),
    (replace(blocked(), next_steps=replace(IN_MEMORY, method=None)), []),
    (
        with_more(
            replace(blocked(), next_steps=IN_MEMORY),
            blocks=[Block(rule=rule, sentence="Mend it.") for rule in ("accepted", "entity")],
        ),
        [
            "  Remove the other 2 reasons to block, as they say above: no method does.",
            "  Then have a method make it pass:",
            "    qidguard.anonymize(table, policy, anonymizer='mondrian')",
        ],
    ),
    (
        replace(blocked(), next_steps=replace(blocked().next_steps, method=None)),
        [
            *DECIDE,
            "  Then judge it again:",
            "    qidguard audit visits.csv --delimiter ';' --policy visits.yaml",
        ],
    ),
])  # fmt: skip
def test_what_a_person_does_next(report, lines):
    """Columns to decide as lines of the policy, then one command; nothing where a sentence says it all."""
    assert _next(report) == lines


def test_a_command_is_broken_where_a_shell_takes_it_as_one():
    """Each line but the last ends with a backslash, and no word is broken."""
    steps = replace(IN_MEMORY, source=("a" * 40, "--columns", "x,y"))
    lines = _next(replace(blocked(), next_steps=steps), 60)
    assert lines[1:] == [
        "    qidguard anonymize \\",
        f"      {'a' * 40} --columns \\",
        "      x,y --policy visits.yaml -a mondrian",
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", [passed, blocked, described, lambda: wide(300, 3)])
def test_no_line_is_wider_than_the_console(make, width):
    """Every line fits, from 60 to 120 characters."""
    assert max(map(cell_len, console_text(make(), width).splitlines())) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_names_cannot_act_hide_or_break_the_width(hostile, width):
    """Markup is text, control and direction characters are escapes, lines keep their width."""
    text = console_text(hostile, width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert not set(text) & set("\x1b\x07\x00\r\t\u202e\u200b\ufffe\ud800")
    assert "[red]x[/red]" in text
    assert r"\x1b[2J\x1b]0;owned\x07" in text
    assert ":smile:" in text


def test_on_a_terminal_the_only_escapes_are_colors(hostile):
    """What a terminal is sent holds no escape sequence but colors of our own."""
    sent = colored(hostile)
    assert "\x1b" not in re.sub(r"\x1b\[[0-9;]*m", "", sent)
    assert "\x1b[" in sent


def test_no_color_takes_the_colors_away():
    """NO_COLOR leaves bold and underline, and no color."""
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|38)[;m]", colored(blocked(), no_color=True))
    assert re.search(r"\x1b\[[0-9;]*3[0-7]m", colored(blocked()))


def test_an_ascii_terminal_gets_ascii():
    """Where the encoding knows no more, boxes, marks and bars are drawn in ASCII."""
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=file, width=80, legacy_windows=False).print(render(blocked()))
    file.flush()
    text = file.buffer.getvalue().decode("ascii")
    assert "NO BLOCKED" in text
    assert "ok  Distinct l-diversity" in text
    assert "####" in text


def test_of_many_columns_the_riskiest_forty_are_shown():
    """300 columns that are no QIDs are cut to 40, and the report says how many are left out."""
    table = wide(300, 3, Role.UNCLASSIFIED)
    text = console_text(table, 80)
    assert "260 more columns are left out" in text
    assert "column_299" in text
    assert "column_100 " not in text
    everything = console_text(table, 80, has_all_columns=True)
    assert "column_100 " in everything
    assert "left out" not in everything


def test_a_column_says_role_giver_type_distinct_missing_and_risk():
    """The line of zip: 2 of 8 records missing, two values and NULL make three groups of eight records."""
    line = next(line for line in console_text(passed(), 80).splitlines() if line.startswith("    zip"))
    assert line.split()[:6] == ["zip", "person", "text", "2", "25.0%", "37.5%"]


def test_a_table_without_records_is_drawn():
    """Nothing is divided by zero where there is nothing."""
    report = described()
    empty = tuple(
        replace(c, facts=replace(c.facts, records=0, distinct=0, missing=0)) for c in report.columns
    )
    summary = replace(report.summaries[0], classes=0, smallest=0)
    report = replace(report, records=0, entities=None, columns=empty, summaries=(summary,))
    assert "0 records, 5 columns" in console_text(report)


@pytest.mark.parametrize("width", [40, 60, 79])
def test_a_narrow_report_keeps_signs_and_figures(width: int) -> None:
    """Every threshold keeps its sign beside its words however narrow the terminal is."""
    lines = console_text(blocked(), width).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Thresholds"))
    end = next(i for i, line in enumerate(lines) if line.startswith("Equivalence classes"))
    signs = [line.split() for line in lines[at:end] if line.strip()[:1] in {"✓", "✗"}]
    assert blocked().verdict is not None
    assert len(blocked().verdict.thresholds) == len(signs)
    assert all(len(words) > 1 for words in signs)


def test_a_narrow_report_shows_the_risk_of_columns() -> None:
    """At 60 characters the type and the bar give way, and the risk is not cut off."""
    heading = next(line for line in console_text(blocked(), 60).splitlines() if "role by" in line)
    assert heading.split() == ["column", "role", "by", "distinct", "missing", "risk"]
