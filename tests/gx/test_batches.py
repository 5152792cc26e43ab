"""A batch is opened once for everything that a suite asks of it, and is never changed."""

import great_expectations.expectations as gxe
import pandas as pd
import pytest

from gx_batches import figures, pandas_table
from qidguard.engines.duckdb.engine import DuckdbEngine
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.interfaces import batch_judging
from qidguard.policy.origin import value_digest
from qidguard_expectations import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTablePrivacyMetricToBeWithin,
    ExpectTableToMeetPrivacyPolicy,
)

pytestmark = pytest.mark.gx

TABLE = {
    "person": ["p1", "p2", "p3", "p4", "p5", "p6"],
    "sex": ["f", "f", "f", "m", "m", "m"],
    "age": [30, 30, 30, 41, 41, 41],
    "illness": ["flu", "acne", "flu", "flu", "acne", "acne"],
}
POLICY = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": ["sex", "age"], "sensitive": ["illness"], "insensitive": ["person"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 3}],
}


def k(*qids, at_least=3, **given):
    """Return an expectation of k-anonymity."""
    return ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=list(qids), at_least=at_least, **given)


def diversity(*qids, **given):
    """Return an expectation of l-diversity."""
    return ExpectTableLDiversityToBeAtLeast(
        quasi_identifiers=list(qids), sensitive="illness", at_least=2, **given
    )


def whole(policy=None):
    """Return an expectation of a whole policy."""
    given = policy or POLICY
    return ExpectTableToMeetPrivacyPolicy(policy=given, policy_sha256=value_digest(given))


@pytest.fixture
def openings(monkeypatch):
    """Return a list that grows by the kept columns of each table that the engine opens."""
    found = []
    real = DuckdbEngine.open

    def counted(self, source, options, needs, settings):
        found.append(needs.columns)
        return real(self, source, options, needs, settings)

    monkeypatch.setattr(DuckdbEngine, "open", counted)
    return found


def test_one_opening_for_many_expectations(context, openings):
    """Eight expectations and a whole policy open the table once, with the columns of all of them."""
    ages = [k("age"), k("sex"), k("sex", "age"), diversity("age"), diversity("sex", "age")]
    columns = ExpectTableColumnsToBeAsApproved(columns=list(TABLE))
    metrics = [
        ExpectTablePrivacyMetricToBeWithin(metric="share_unique", quasi_identifiers=["age"], at_most=0),
        ExpectTablePrivacyMetricToBeWithin(
            metric="k_anonymity", quasi_identifiers=["sex", "age"], at_least=3, attacker={"knows_any": 1}
        ),
    ]
    found = pandas_table(context, TABLE).validate(*ages, columns, *metrics, whole())
    assert [result.success for result in found] == [True] * 9
    assert [set(kept) for kept in openings] == [{"sex", "age", "illness"}]


def test_one_opening_for_each_way_to_count(context, openings):
    """Persons by an entity, and texts that mean missing, each ask for an opening of their own."""
    pandas_table(context, TABLE).validate(
        k("age"),
        k("sex"),
        k("age", entity="person"),
        diversity("age", entity="person"),
        k("age", source={"missing": ["?"]}),
    )
    assert len(openings) == 3


def test_answers_do_not_depend_on_the_company(context):
    """An expectation alone measures what it measures among others."""
    table = pandas_table(context, TABLE)
    alone = [table.validate(made())[0] for made in (lambda: k("age"), lambda: diversity("sex"), whole)]
    together = table.validate(k("age"), diversity("sex"), whole())
    assert figures(alone) == figures(together)


def test_policies_with_other_qids_share_an_opening(context, openings):
    """Each is told which columns carry its own QIDs, as alone; one whose QIDs are to find opens its own."""
    ages, sexes = [30 + i % 2 for i in range(60)], ["fm"[i // 2 % 2] for i in range(60)]
    table = {"age": ages, "born": [2020 - age for age in ages], "sex": sexes, "form": [s * 2 for s in sexes]}

    def policies():
        given = POLICY | {"unnamed_columns": "insensitive"}
        return [whole(given | {"roles": {"quasi_identifiers": q}}) for q in (["sex"], ["age"], "auto")]

    made = pandas_table(context, table)
    alone = [made.validate(one)[0] for one in policies()]
    del openings[:]
    together = made.validate(*policies())
    assert figures(alone) == figures(together)
    assert len(openings) == 2
    notes = [" ".join(result.result["details"]["document"]["notes"]) for result in together]
    assert ["same values as sex" in note for note in notes] == [True, False, True]
    # where they are to find, born is one of them
    assert ["same values as age" in note for note in notes] == [False, True, False]


def test_equal_expectations_have_one_answer(context, openings):
    """Two expectations that ask the same are both answered, from one opening."""
    found = pandas_table(context, TABLE).validate(k("age"), k("age"))
    assert ([result.success for result in found], len(openings)) == ([True, True], 1)


def test_fault_of_one_concerns_no_other(context, openings):
    """A column that cannot be read fails its own expectation; the others are answered in halves."""
    table = pd.DataFrame(TABLE | {"bad": pd.Series([1, "x", 2, 3, 4, 5], dtype="object")})
    suite = [k("age", at_least=n) for n in range(2, 8)]
    found = pandas_table(context, table).validate(*suite, k("bad"), diversity("sex"), k("nothing"))
    assert [r.success for r in found] == [True, True, *[False] * 4, False, True, False]
    assert len(openings) <= 9


def test_failing_neighbors_cost_no_opening(context, openings):
    """Great Expectations tries a metric that fails again and again; our table is opened once all the same."""
    found = pandas_table(context, TABLE).run(
        gxe.ExpectColumnMaxToBeBetween(column="nothing", min_value=1),
        k("age"),
        gxe.ExpectColumnMeanToBeBetween(column="illness", min_value=1),
        whole(),
        gxe.ExpectTableRowCountToEqual(value=6),
    )
    by_type = {result.expectation_config.type: result.success for result in found.results}
    assert by_type["expect_table_k_anonymity_to_be_at_least"] is True
    assert by_type["expect_table_to_meet_privacy_policy"] is True
    assert len(openings) == 1


def test_another_run_reads_the_batch_anew(context):
    """Records that came since the last run are seen: no answer is kept from one run to the next."""
    table = pandas_table(context, TABLE)
    before = table.validate(k("age"))[0].success
    grown = pandas_table(context, TABLE | {"age": [30, 30, 30, 41, 41, 50]})
    table.parameters["dataframe"] = grown.parameters["dataframe"]
    assert (before, table.validate(k("age"))[0].success) == (True, False)


def test_no_table_stays_open(context, openings, monkeypatch):
    """Every opened table is closed when the run ends, also where measuring fails."""
    closed = []
    real = DuckdbTable.close
    monkeypatch.setattr(DuckdbTable, "close", lambda table: closed.append(real(table)))
    table = pandas_table(context, TABLE)
    table.validate(k("age"), whole())
    assert (len(openings), len(closed)) == (1, 1)
    monkeypatch.setattr(batch_judging, "measure", None)
    table.validate(k("age"), whole())
    assert (len(openings), len(closed)) == (4, 4)


def test_policies_share_an_opening(context, openings):
    """Two whole policies are audited on one opened table, which the first of them does not close."""
    stricter = POLICY | {"thresholds": [{"metric": "k_anonymity", "at_least": 4}]}
    found = pandas_table(context, TABLE).validate(whole(), whole(stricter))
    assert ([result.success for result in found], len(openings)) == ([True, False], 1)
    assert found[1].result["details"]["sentences"] == [
        "k-anonymity is 3 records, must be at least 4 (1 short), over sex, age."
    ]


def test_frame_is_not_changed(context):
    """The caller's frame is the same before and after, to the dtype."""
    given = pd.DataFrame(
        TABLE | {"seen": pd.to_datetime(["2020-01-01"] * 6), "kind": pd.Categorical(list("aabbcc"))}
    )
    before = given.copy(deep=True)
    pandas_table(context, given).validate(k("age"), diversity("sex"), k("seen", "kind", at_least=2))
    pd.testing.assert_frame_equal(given, before)


@pytest.mark.parametrize("records", [60_000, 150_000])
def test_large_batches_are_measured_like_small_ones(context, records):
    """A table that is collapsed while it is read gives the same figures as one that is read in place."""
    given = pd.DataFrame({"a": [i % 7 for i in range(records)], "b": [i % 3 for i in range(records)]})
    (result,) = pandas_table(context, given).validate(k("a", "b", at_least=records // 21))
    assert (result.success, result.result["observed_value"]) == (True, records // 21)
