"""Methods beside one another on eight people, counted by hand."""

import json
from dataclasses import replace
from io import StringIO

import jsonschema
import pytest
from rich.console import Console

from qidguard import UserError
from qidguard.sdk import AttackResult, Rate
from qidguard_comparison import compare
from qidguard_comparison.comparing import choices
from qidguard_comparison.comparison import small
from qidguard_comparison.page import comparison_page
from qidguard_comparison.plugin import comparison_schema

MARK = "Zqx"
"""Stands in a value of the table and in a plugin's error."""


@pytest.fixture
def compared(table, policy, options):
    """Return a function that compares methods on the table."""
    return lambda methods, **more: compare(table, policy=policy, anonymizers=methods, **options, **more)


def test_brackets_hold_parameters_with_their_types():
    """Whole numbers, numbers, truth values and texts are told apart; commas in brackets part parameters."""
    found = [(one.name, dict(one.parameters)) for one in choices("a[k=5, x=.5, flag=true, word=means], b")]
    assert found == [("a", {"k": 5, "x": 0.5, "flag": True, "word": "means"}), ("b", {})]


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("a[k=1,k=2]", "a has k twice"),
        ("hide_town,hide_town", "name hide_town twice"),
        ("a]b", "must be a name"),
        ("hide_town[k]", "must be PARAMETER=VALUE"),
        (" ", "must be a name"),
        ("", "name no anonymizer"),
        ("no_such", "no anonymizer 'no_such'"),
        ("hide_town[j=2]", "unknown parameter 'j'"),
        (["all", "hide_town[j=1]"], "unknown parameter 'j'"),
    ],
)
def test_a_mistake_is_said_before_anything_runs(compared, written, sentence):
    """An unknown method, a parameter that is none, a method twice and none at all are the user's mistakes."""
    with pytest.raises(UserError) as raised:
        compared(written)
    assert sentence in str(raised.value)


@pytest.mark.slow
def test_risks_and_losses_are_those_counted_by_hand(compared):
    """Classes of 3, 1, 2 and 2 become two of four where the town is hidden: half of all cells is lost."""
    found = compared("hide_all,hide_town,do_nothing")
    names = ("k_anonymity", "prosecutor_risk_max", "prosecutor_risk_average", "ncp")
    rows = {row.label: [row.figures[name] for name in names] for row in (found.original, *found.methods)}
    assert rows["as it is"] == rows["do_nothing"] == [1, 1.0, 0.5, 0.0]
    assert rows["hide_town"] == [4, 0.25, 0.25, 0.5]
    hidden = found.methods[0]
    assert (hidden.is_passed, hidden.records_suppressed, hidden.cells_changed) == (True, 0, 8)
    assert not found.original.is_passed
    assert found.original.sentences


@pytest.mark.slow
def test_the_best_loses_least_among_those_that_pass(compared):
    """Whatever their order; no row of them is beaten by another in both figures."""
    found, again = compared("hide_all,hide_town,do_nothing"), compared("do_nothing,hide_town,hide_all")
    assert [row.label for row in found.methods] == ["hide_town", "hide_all", "do_nothing"]
    assert [(r.label, r.figures) for r in found.methods] == [(r.label, r.figures) for r in again.methods]
    assert [row.label for row in found.frontier] == ["as it is", "do_nothing", "hide_town", "hide_all"]
    assert (found.best.label, found.exit_code) == ("hide_town", 0)
    said = "hide_town loses least (50 % NCP) among those on which the policy holds."
    assert said in str(found)


@pytest.mark.slow
def test_a_method_that_cannot_is_a_row_that_says_so(compared):
    """It stops no other; the exit code is 1 when the policy holds on nothing."""
    found = compared("cannot,hide_town")
    [row] = [row for row in found.methods if row.label == "cannot"]
    assert "k = 2 is more than the table has" in row.sentences[0]
    assert "k = 2 is more than the table has" in str(found)
    assert (found.best.label, found.exit_code) == ("hide_town", 0)
    assert compared("cannot,do_nothing").exit_code == 1


@pytest.mark.slow
def test_a_fault_of_a_plugin_is_a_row_and_exit_3(compared):
    """The row names the fault; neither text, JSON nor plot holds a value; the document keeps its schema."""
    found = compared("hide_town,cannot,fails,do_nothing")
    [row] = [row for row in found.methods if row.label == "fails"]
    assert (row.status.value, "RuntimeError" in row.sentences[0]) == ("failed", True)
    assert (found.best.label, found.exit_code) == ("hide_town", 3)
    told = str(found) + found.to_json() + found.plot().alternative + str(found.plot().vega_lite)
    assert MARK not in told + repr(found)
    schema, document = json.loads(comparison_schema()), json.loads(found.to_json())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert document["best"] == "hide_town"


def test_a_page_tells_of_noise_and_attacks_beside_their_methods():
    """Each under its heading, after the label of its method; what the best one misses is told, too."""
    rate = Rate(successes=4, trials=8, low=0.4, high=0.6)
    attack = AttackResult(
        attack="linkage", arguments={}, published=rate, control=None,
        excess=0.5, excess_low=0.4, excess_high=0.6, people=4.0, sentence="4 of 8 are linked.",
    )  # fmt: skip
    told = replace(small().methods[0], noised=("age has noise.",), attacks=(attack,), sentences=("k is 1.",))
    page = comparison_page(replace(small(), methods=(told,)))
    assert dict(page.missed) | dict(page.lists) == {
        "What the others miss": ["mondrian: k is 1."],
        "Attacks": ["mondrian: 4 of 8 are linked."],
        "Noise": ["mondrian: age has noise."],
    }


@pytest.mark.slow
def test_an_interrupt_shows_what_is_done(compared):
    """Methods before the interrupt are there, those after it are not."""
    found = compared("hide_town,interrupted,hide_all")
    assert (found.is_interrupted, [row.label for row in found.methods]) == (True, ["hide_town"])


@pytest.mark.slow
def test_a_method_may_stand_twice_with_other_parameters(compared):
    """Each row is called after its parameters."""
    found = compared("hide_town[k=3],hide_town[k=4]")
    assert {row.label: row.arguments["k"] for row in found.methods} == {
        "hide_town[k=3]": 3,
        "hide_town[k=4]": 4,
    }


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_console_leaves_columns_out(compared, width):
    """No line is wider than the terminal, and verdict, k and NCP are always there."""
    screen = Console(width=width, record=True, file=StringIO())
    for part in comparison_page(compared("hide_town,hide_all")).parts(width):
        screen.print(part)
    text = screen.export_text()
    assert max(len(line) for line in text.splitlines()) <= width
    assert all(title in text for title in ("policy", " k ", "NCP"))
