"""A new table tried and compared: what can be measured of it is; what pairs records says why it is not."""

import json

import jsonschema
import pytest

from new_table import ADULTS, Marginals, Unprotected
from plugged import host_with
from qidguard import UserError, anonymize
from qidguard_comparison import compare, pareto
from qidguard_comparison.plugin import comparison_schema
from releases import once, people

HOST = host_with([Marginals(), Unprotected()])
ASKED = {"epsilon": "4", "categories": ADULTS}
OF_TABLES = {"marginal_total_variation", "marginal_ks", "mean_shift", "quantile_shift"}
OF_RECORDS = {"ncp", "gcp", "information_loss", "originality", "kept_share", "granularity"}
NONE = "it compares each record with its original, and the records of a new table have none"


def rules(made="records", output="new_table", method="marginals", **more):
    """Return a policy that takes a new table; models predict the illness."""
    remedy = {"anonymizer": method, "parameters": ASKED | {"made": made}, "output": output}
    return once(**{"remedy": remedy, "thresholds": [{"metric": "k_anonymity", "at_least": 2}], **more})


def tried(**more):
    """Return what is made of three hundred people, with its losses by name."""
    with anonymize(people(size=100), rules(**more), host=HOST, seed=1, attacks=["linkage"]) as made:
        return made, {one.metric: one for one in made.utility}


@pytest.mark.slow
def test_what_can_be_measured_of_a_new_table_is_and_what_pairs_records_says_why_not():
    """Tables are compared as wholes; no loss of records, no attack, no suppressed record; and it is told."""
    made, losses = tried()
    assert made.is_passed
    assert {name for name in OF_TABLES if losses[name].value is not None} == OF_TABLES
    assert {(losses[name].value, losses[name].reason) for name in OF_RECORDS} == {(None, NONE)}
    assert made.receipt.attacks == ()
    assert any(note.startswith("No attack was rehearsed: attacks look for") for note in made.receipt.notes)
    assert "a new table of 300 records in the place of 300 records of the source" in repr(made)
    assert "suppressed" not in repr(made)
    receipt, after = (made.to_dict()[name] for name in ("receipt", "after"))
    assert (receipt["records_suppressed"], receipt["reproduced"][0]["new_records"]) == (None, 300)
    assert after["new_table"]["kind"] == "synthetic_records"


@pytest.mark.slow
def test_a_total_variation_of_marginals_is_that_of_the_two_tables():
    """Counting by hand gives the same figure."""
    with anonymize(people(size=100), rules(), host=HOST, seed=1) as made:
        told = next(one.value for one in made.utility if one.metric == "marginal_total_variation")
        before, after = people(size=100), made._snapshot
        columns = {name: after.column(name) for name in ("age", "sex")}
    largest = []
    for name, column in columns.items():
        new = [column.texts[code] for code in column.codes]
        kinds = set(new) | set(map(str, before[name]))
        shares = ((new.count(kind), list(map(str, before[name])).count(kind)) for kind in kinds)
        largest.append(sum(abs(a - b) for a, b in shares) / 2 / 300)
    assert told in (pytest.approx(max(largest)), pytest.approx(sum(largest) / 2))


@pytest.mark.slow
def test_of_a_table_of_counts_no_loss_is_measured():
    """Its records are cells, and a mean over cells is nobody's."""
    _, losses = tried(made="counts")
    assert all(one.value is None for one in losses.values())
    assert losses["mean_shift"].reason == "it compares records, and those of a table of counts are cells"


@pytest.mark.slow
def test_models_learn_from_new_records_and_are_tested_on_the_original():
    """What independent marginals cannot hold is lost: age tells the illness in the original alone."""
    table = people(size=60).assign(illness=lambda t: t["age"].map({20: "flu", 30: "asthma", 40: "none"}))
    roles = {"quasi_identifiers": ["age", "sex"], "direct_identifiers": ["name"]}
    roles |= {"target": "illness", "entity": "person"}
    with anonymize(table, rules(roles=roles), host=HOST, seed=1, has_models=True) as made:
        losses = {one.metric: one.value for one in made.utility}
    assert losses["model_f1_change"] < -0.3
    assert 0 <= losses["model_accuracy"] < 0.7


@pytest.mark.slow
def test_compared_rows_have_no_figure_of_records():
    """A row says what it is, and neither cells nor suppressed records are nought."""
    found = compare(people(size=100), rules(), anonymizers=["mondrian[k=5]", "marginals"], seed=1, host=HOST)
    row = next(one for one in found.methods if one.method == "marginals")
    assert row.is_passed
    assert (row.records_suppressed, row.cells_changed) == (None, None)
    assert row.new_table.title == "synthetic records"
    assert "ncp" not in row.figures
    document = json.loads(found.to_json())
    jsonschema.validate(document, json.loads(comparison_schema()))
    assert found.best.method == "mondrian"


def test_to_choose_among_new_tables_is_refused():
    """Loss and risk are of the source's records, so a new table has no front of them."""
    with pytest.raises(UserError, match="has no front of loss and risk"):
        pareto(people(size=100), rules(method="unprotected"), anonymizer="unprotected", host=HOST)
