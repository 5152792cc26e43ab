"""Methods beside one another on eight people, counted by hand."""

import json
from importlib import resources
from io import StringIO

import jsonschema
import pytest

import qidguard
from qidguard import UserError
from qidguard.trials.comparing.console import console_text
from qidguard.trials.comparing.document import published_comparison_schema

MARK = "Zqx"
"""Stands in a value of the table and in a plugin's error."""


@pytest.fixture
def compared(table, policy, options):
    """Return a function that compares methods on the table."""
    return lambda methods, **more: qidguard.compare(
        table, policy=policy, anonymizers=methods, **options, **more
    )


def rows(found):
    """Return label → row."""
    return {row.label: row for row in found.methods}


@pytest.mark.slow
def test_risks_and_losses_are_those_counted_by_hand(compared):
    """Town hidden leaves two classes of four: k 4, highest and average risk 1/4, one of two cells lost."""
    row = rows(compared("hide_town"))["hide_town"]
    wanted = {"k_anonymity": 4, "prosecutor_risk_max": 0.25, "prosecutor_risk_average": 0.25, "ncp": 0.5}
    assert {name: row.figures[name] for name in wanted} == wanted
    assert (row.is_passed, row.records_suppressed, row.cells_changed) == (True, 0, 8)


@pytest.mark.slow
def test_the_table_as_it_is_stands_beside_the_methods(compared):
    """Four classes of 3, 1, 2 and 2: k 1, average risk 4/8, and nothing lost."""
    original = compared("hide_town").original
    figures = original.figures
    assert (figures["k_anonymity"], figures["prosecutor_risk_average"], figures["ncp"]) == (1, 0.5, 0.0)
    assert not original.is_passed
    assert original.sentences


@pytest.mark.slow
def test_the_best_loses_least_among_those_that_pass(compared):
    """What changes nothing loses least and does not pass; hiding one column loses less than hiding both."""
    found = compared("hide_all,hide_town,do_nothing")
    assert found.best is not None
    assert found.best.label == "hide_town"
    assert [row.label for row in found.methods] == ["hide_town", "hide_all", "do_nothing"]
    assert found.exit_code == 0


@pytest.mark.slow
def test_the_frontier_holds_what_no_other_beats(compared):
    """As it is loses nothing, hiding both leaves least risk, and hiding one is beaten by neither."""
    found = compared("hide_all,hide_town")
    assert [row.label for row in found.frontier] == ["as it is", "hide_town", "hide_all"]


@pytest.mark.slow
def test_a_method_that_cannot_is_a_row_that_says_so(compared):
    """The others are not stopped by it."""
    found = compared("cannot,hide_town")
    assert "k = 2 is more than the table has" in rows(found)["cannot"].sentences[0]
    assert rows(found)["hide_town"].is_passed
    assert found.exit_code == 0


@pytest.mark.slow
def test_none_that_passes_is_a_block(compared):
    """The exit code is 1 when the policy holds on nothing."""
    assert compared("cannot,do_nothing").exit_code == 1


@pytest.mark.slow
def test_a_fault_of_a_plugin_is_a_row_and_exit_3(compared):
    """The row names the plugin's fault without a value of the table."""
    found = compared("fails,hide_town")
    assert rows(found)["fails"].status.value == "failed"
    assert "RuntimeError" in rows(found)["fails"].sentences[0]
    assert rows(found)["hide_town"].is_passed
    assert found.exit_code == 3


@pytest.mark.slow
def test_an_interrupt_shows_what_is_done(compared):
    """Methods before the interrupt are there, those after it are not."""
    found = compared("hide_town,interrupted,hide_all")
    assert found.is_interrupted
    assert [row.label for row in found.methods] == ["hide_town"]


@pytest.mark.slow
def test_order_and_repetition_change_nothing(compared):
    """The same methods in another order give the same rows, by the same seed."""
    one, other = compared("hide_town,hide_all,do_nothing"), compared("do_nothing,hide_all,hide_town")
    assert [(r.label, r.figures) for r in one.methods] == [(r.label, r.figures) for r in other.methods]


@pytest.mark.slow
def test_a_method_may_stand_twice_with_other_parameters(compared):
    """Each row is called after its parameters."""
    found = compared("hide_town[k=3],hide_town[k=4]")
    assert [row.label for row in found.methods] == ["hide_town[k=3]", "hide_town[k=4]"]
    assert [row.arguments["k"] for row in found.methods] == [3, 4]


@pytest.mark.slow
def test_all_takes_every_method_with_a_parameter_k(compared):
    """The one without k is left out."""
    with pytest.raises(UserError, match="unknown parameter 'j'"):
        compared(["all", "hide_town[j=1]"])
    labels = {row.label for row in compared(["hide_town", "hide_all"]).methods}
    assert labels == {"hide_town", "hide_all"}


@pytest.mark.parametrize("methods", ["no_such", "hide_town[k]", "hide_town,hide_town", "", "hide_town[j=2]"])
def test_a_mistake_is_said_before_anything_runs(compared, methods):
    """An unknown method, a parameter that is none, a method twice and none at all are the user's mistakes."""
    with pytest.raises(UserError):
        compared(methods)


@pytest.mark.slow
def test_the_document_keeps_its_schema(compared):
    """JSON with every kind of row is what the published schema says."""
    document = json.loads(compared("hide_town,cannot,fails,do_nothing").to_json())
    jsonschema.validate(document, json.loads(published_comparison_schema()))
    assert document["best"] == "hide_town"


def test_the_schema_lies_in_the_package():
    """It is JSON Schema of the draft it names."""
    text = (
        resources.files("qidguard.trials.comparing")
        .joinpath("comparison-1.schema.json")
        .read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.slow
def test_no_value_of_the_table_is_told(compared):
    """Neither text, JSON nor plot holds a marked value, although a method put it into its error."""
    found = compared("hide_town,cannot,fails,do_nothing")
    told = console_text(found) + found.to_json() + found.plot().alternative + str(found.plot().vega_lite)
    assert MARK not in told + repr(found)


@pytest.mark.slow
def test_the_console_says_which_to_take(compared):
    """The recommended method stands in a sentence, the others with what they miss."""
    text = console_text(compared("hide_town,hide_all,cannot"))
    assert "hide_town loses least (50 % NCP) among those on which the policy holds." in text
    assert "k = 2 is more than the table has" in text


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_console_leaves_columns_out(compared, width):
    """No line is wider than the terminal, and verdict, k and NCP are always there."""
    from rich.console import Console

    from qidguard.trials.comparing.console import parts

    screen = Console(width=width, record=True, file=StringIO())
    for part in parts(compared("hide_town,hide_all"), width):
        screen.print(part)
    text = screen.export_text()
    assert max(len(line) for line in text.splitlines()) <= width
    assert all(title in text for title in ("policy", " k ", "NCP"))
