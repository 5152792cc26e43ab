"""Batches of Spark."""

import datetime as dt

import pytest

from gx_batches import GxTable, figures, pandas_table, spark_table
from qidguard.policy.origin import value_digest
from qidguard_expectations import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTableToMeetPrivacyPolicy,
)

pytestmark = [pytest.mark.gx, pytest.mark.spark]

TABLE = {
    "sex": ["f", "f", "m", "m", None],
    "age": [30, 30, 41, 41, 41],
    "day": [dt.date(2020, 1, 1), dt.date(2020, 1, 1), None, None, dt.date(2020, 1, 2)],
    "illness": ["flu", "acne", "flu", "acne", "flu"],
}
POLICY = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": ["sex", "age", "day"], "sensitive": ["illness"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}, {"metric": "t_closeness", "at_most": 0.4}],
}


def k(*qids, at_least=2):
    """Return an expectation of k-anonymity."""
    return ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=list(qids), at_least=at_least)


def given(context, frame):
    """Return a Spark DataFrame as a batch."""
    asset = context.data_sources.add_spark("s", persist=False).add_dataframe_asset("a")
    definition = asset.add_batch_definition_whole_dataframe("w")
    return GxTable(definition=definition, context=context, parameters={"dataframe": frame})


def test_answers_are_those_of_pandas(context, spark):
    """Figures, classes and the verdict of a policy are those of the same table in pandas."""

    def suite():
        return [
            k("sex", "age", "day"),
            k("age"),
            ExpectTableLDiversityToBeAtLeast(quasi_identifiers=["age"], sensitive="illness", at_least=2),
            ExpectTableColumnsToBeAsApproved(columns=["age", "sex"]),
            ExpectTableToMeetPrivacyPolicy(policy=POLICY, policy_sha256=value_digest(POLICY)),
        ]

    ours = spark_table(context, TABLE, spark).validate(*suite())
    theirs = pandas_table(context, TABLE).validate(*suite())
    assert figures(ours) == figures(theirs)
    assert [result.success for result in ours] == [False, True, True, False, False]


def test_hostile_names(context, spark):
    """Names that differ in case only, with dots and backticks, are told apart."""
    frame = spark.createDataFrame([(1, 1, "x"), (1, 2, "x")], ["a", "b", "c"]).toDF("Age", "age", "a.b`c d")
    found = given(context, frame).validate(k("Age"), k("age"), k("a.b`c d", "Age"), k("AGE"))
    assert [(r.success, r.result["observed_value"]) for r in found] == [
        (True, 2),
        (False, 1),
        (True, 2),
        (False, None),
    ]


def test_nan_is_not_missing(context, spark):
    """NaN is a value of its own, apart from NULL, as in a database."""
    frame = spark.createDataFrame([(float("nan"),), (None,), (1.5,)], "f double")
    (result,) = given(context, frame).validate(k("f"))
    assert result.result["details"]["classes"]["classes"] == 3


def test_nested_columns_fail_where_they_are_named(context, spark):
    """An array cannot be grouped; the column beside it can."""
    frame = spark.createDataFrame([(1, [1, 2]), (1, [1])], "a int, many array<int>")
    found = given(context, frame).validate(k("a"), k("many"))
    assert [result.success for result in found] == [True, False]
    assert "'many'" in found[1].result["details"]["reason"]


def test_failing_plan_shows_no_value(context, spark):
    """A plan that fails while it runs fails the expectation, and its words are not shown."""
    spark.conf.set("spark.sql.ansi.enabled", "true")
    frame = spark.createDataFrame([("Xq7secret",)], "a string").selectExpr("cast(a AS int) AS a")
    (result,) = given(context, frame).validate(k("a"))
    assert result.success is False
    assert result.result["details"]["reason"] == "internal error (NumberFormatException)"
    assert "Xq7secret" not in str(result)
