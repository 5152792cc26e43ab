"""By which measures the recommended method leads, by which not, and where one measure misleads."""

import json
from dataclasses import replace

import jsonschema
import pytest

from qidguard_comparison import Comparison, MethodRow
from qidguard_comparison.comparison import small
from qidguard_comparison.plugin import comparison_schema
from qidguard_comparison.recommendation import Behind, sentences_of
from qidguard_comparison.row import Status


def row(label, *, ncp, tables, means=0.1, **more):
    """Return a method on which the policy holds."""
    figures = {"ncp": ncp, "two_way_total_variation": tables, "mean_shift": means}
    passed = {"arguments": {}, "status": Status.PASSED, "is_passed": True}
    return MethodRow(label=label, method=label, figures=figures, **passed, **more)


def compared(*rows) -> Comparison:
    """Return a comparison of these rows on a hundred records."""
    return replace(small(), methods=rows, records=100)


def test_it_leads_by_some_measures_and_not_by_others():
    """Equal figures lead, too."""
    found = compared(row("sets", ncp=0.1, tables=0.3), row("levels", ncp=0.2, tables=0.2)).recommendation
    assert (found.label, found.leads) == ("sets", ("ncp", "mean_shift"))
    assert found.behind == (Behind(metric="two_way_total_variation", value=0.3, best="levels", least=0.2),)
    assert sentences_of(found)[:2] == [
        "It leads by NCP and means.",
        "It does not by two-way tables (levels: 0.2 against 0.3).",
    ]


def test_the_best_by_ncp_that_is_worst_by_tables_is_a_warning():
    """With a third that is worse by tables there is none."""
    rows = row("sets", ncp=0.1, tables=0.3), row("levels", ncp=0.2, tables=0.2)
    (warning,) = compared(*rows).recommendation.warnings
    assert warning.startswith("NCP misleads here: sets is best of 2 by it and worst by two-way tables")
    assert compared(*rows, row("all", ncp=0.9, tables=0.8)).recommendation.warnings == ()


@pytest.mark.parametrize(("share", "is_said"), [(0.5, False), (0.51, True), (None, False)])
def test_most_cells_changed_is_a_warning(share, is_said):
    """From a half on."""
    found = compared(row("means", ncp=0.1, tables=0.1, changed_share=share)).recommendation
    assert any("51 % of the cells" in warning for warning in found.warnings) is is_said


def test_records_that_are_left_out_are_a_warning():
    """With their share; a single method leads by nothing."""
    found = compared(row("few", ncp=0.1, tables=0.1, records_suppressed=7)).recommendation
    assert (found.leads, found.behind) == ((), ())
    said = "Warning: few leaves out 7 of 100 records (7 %), whom no figure of the others speaks for."
    assert sentences_of(found) == [said]


def test_model_scores_are_better_where_larger():
    """A score that fell by 0.1 is better than one that fell by 0.3."""
    one, other = row("one", ncp=0.1, tables=0.1), row("other", ncp=0.2, tables=0.2)
    one = replace(one, figures=one.figures | {"model_f1_change": -0.3})
    other = replace(other, figures=other.figures | {"model_f1_change": -0.1})
    (behind,) = compared(one, other).recommendation.behind
    assert (behind.metric, behind.best) == ("model_f1_change", "other")


def test_nothing_is_recommended_where_the_policy_holds_on_nothing():
    """The document says null."""
    found = replace(small(), methods=small().methods[1:])
    assert found.recommendation is None
    assert found.to_dict()["recommendation"] is None


def test_the_document_and_the_screen_tell_it():
    """The schema knows the fields; the screen has the sentences and what its titles mean."""
    found = compared(row("sets", ncp=0.1, tables=0.3), row("levels", ncp=0.2, tables=0.2))
    jsonschema.validate(found.to_dict(), json.loads(comparison_schema()))
    text = str(found)
    assert "Warning: NCP misleads here" in text
    assert "2-way: tables of two moved" in text
    without = replace(found.methods[0], figures={})
    assert "NCP was not measured" in " ".join(str(compared(without)).split())
