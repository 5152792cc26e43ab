"""What OpenLineage is told: where the table and the release are, and every threshold as an assertion."""

import builtins
import json
import sys
from importlib.resources import files

import jsonschema
import pytest
from airflow.providers.openlineage.extractors import OperatorLineage
from airflow.providers.openlineage.extractors.manager import ExtractorManager
from airflow.sdk.exceptions import AirflowFailException
from openlineage.client.serde import Serde

from qidguard_provider.lineage import dataset_name
from qidguard_provider.operators import (
    QidguardAuditOperator,
    QidguardReleaseOperator,
    QidguardVerifyOperator,
)
from ward import SECRET

pytestmark = pytest.mark.airflow


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("/srv/ward.csv", ("file", "/srv/ward.csv")),
        ("file:///srv/ward.csv", ("file", "/srv/ward.csv")),
        ("s3://bucket/ward/x.csv", ("s3://bucket", "ward/x.csv")),
        ("s3a://bucket/ward/x.csv", ("s3://bucket", "ward/x.csv")),
        ("s3://key:pass@bucket/ward/x.csv?token=1", ("s3://bucket", "ward/x.csv")),
        ("gs://bucket/x.parquet", ("gs://bucket", "x.parquet")),
        ("abfss://ward@account/x.csv", ("abfss://ward@account", "x.csv")),
        ("zip://x.csv::s3://key:pass@bucket/x.zip", ("s3://bucket", "x.zip")),
        ("https://me:pass@example.org:8443/x.csv", ("https://example.org:8443", "x.csv")),
        ("s3://bucket", ("s3://bucket", "/")),
    ],
)
def test_addresses_are_named_as_openlineage_names_them(address, name):
    """Scheme and place are the namespace, the rest is the name, and no secret is in either."""
    assert dataset_name(address) == name


def _ran(tried, kind, **given):
    operator = kind(task_id="task", **given)
    try:
        tried.execute(operator)
    except AirflowFailException:
        return operator.get_openlineage_facets_on_failure(None)
    return operator.get_openlineage_facets_on_complete(None)


def _told(facet):
    said = json.loads(Serde.to_json(facet))
    return {name: value for name, value in said.items() if not name.startswith("_")}


def test_the_measurements_have_a_schema_of_their_own(tried):
    """The facet names it, it stands in the package, and what is told fits it."""
    told = _ran(tried, QidguardAuditOperator, policy="ward.yaml", source="ward.csv")
    said = json.loads(Serde.to_json(told.inputs[0].inputFacets["qidguard_measurements"]))
    schema = json.loads((files("qidguard_provider") / "measurements-1.schema.json").read_text())
    assert said["_schemaURL"] == schema["$id"]
    jsonschema.validate(said, schema)


def test_an_audit_tells_its_thresholds(ward, tried):
    """The table is the input, with its number of records and one assertion for each threshold."""
    told = _ran(tried, QidguardAuditOperator, policy="ward.yaml", source="ward.csv")
    (table,) = told.inputs
    assert isinstance(told, OperatorLineage)
    assert (table.namespace, table.name, told.outputs) == ("file", str(ward.folder / "ward.csv"), [])
    assert _told(table.inputFacets["dataQualityMetrics"]) == {"rowCount": 4, "columnMetrics": {}}
    assert _told(table.inputFacets["dataQualityAssertions"]) == {
        "assertions": [
            {
                "assertion": "k_anonymity",
                "success": True,
                "severity": "error",
                "expected": "at least 2",
                "actual": "2 records",
                "params": {},
            },
            {
                "assertion": "persons_isolated_over_releases",
                "success": True,
                "severity": "error",
                "expected": "at most 0",
                "actual": "0 records",
                "params": {},
            },
        ]
    }
    assert _told(table.inputFacets["qidguard_measurements"]) == {
        "outcome": "passed",
        "measurements": [
            {
                "metric": "k_anonymity",
                "combination": "default",
                "qids": ["age", "sex"],
                "value": 2,
                "unit": "records",
                "bound": "at_least",
                "limit": 2,
                "is_met": True,
            },
            {
                "metric": "persons_isolated_over_releases",
                "combination": "default",
                "qids": ["age", "sex"],
                "value": 0,
                "unit": "records",
                "bound": "at_most",
                "limit": 0,
                "is_met": True,
            },
        ],
    }


def test_a_block_is_told_and_no_value_is(tried):
    """The assertions failed; nothing of the table is in what is sent."""
    told = _ran(tried, QidguardAuditOperator, policy="ward.yaml", source="bad.csv")
    found = told.inputs[0].inputFacets["dataQualityAssertions"].assertions
    assert [(a.success, a.expected, a.actual) for a in found] == [
        (False, "at least 2", "1 record"),
        (False, "at most 0", "2 records"),
    ]
    assert SECRET not in Serde.to_json(told.inputs[0])


def test_a_threshold_that_only_warns_says_so(ward, tried):
    """Its severity is another."""
    policy = ward.folder.joinpath("ward.yaml").read_text()
    warning = "  - {metric: distinct_l_diversity, at_least: 2, on_miss: warn}\n"
    ward.write("warn.yaml", policy.replace("release:", f"{warning}release:"))
    told = _ran(tried, QidguardAuditOperator, policy="warn.yaml", source="ward.csv")
    found = told.inputs[0].inputFacets["dataQualityAssertions"].assertions
    assert [(a.assertion, a.success, a.severity) for a in found] == [
        ("k_anonymity", True, "error"),
        ("persons_isolated_over_releases", True, "error"),
        ("distinct_l_diversity", False, "warn"),
    ]


def test_a_release_is_an_output(ward, tried):
    """The table is the input, the release's folder the output."""
    given = {"policy": "ward.yaml", "source": "ward.csv", "to": str(ward.published)}
    told = _ran(tried, QidguardReleaseOperator, **given)
    (release,) = told.outputs
    address = next(ward.published.glob("*/*/manifest.json")).parent
    assert (release.namespace, release.name) == ("file", str(address))


def test_a_blocked_release_has_no_output(ward, tried):
    """Nothing was published."""
    given = {"policy": "ward.yaml", "source": "bad.csv", "to": str(ward.published)}
    assert _ran(tried, QidguardReleaseOperator, **given).outputs == []


def test_a_verified_release_is_an_input(ward, tried):
    """It is looked at, and nothing is made; without an audit there are no figures."""
    given = {"policy": "ward.yaml", "source": "ward.csv", "to": str(ward.published)}
    made = tried.execute(QidguardReleaseOperator(task_id="publish", **given))
    told = _ran(tried, QidguardVerifyOperator, address=made["address"], is_unsigned_allowed=True)
    assert [(i.namespace, i.name, i.inputFacets) for i in told.inputs] == [("file", made["address"], {})]
    assert told.outputs == []


def test_a_task_that_failed_before_its_verdict_tells_nothing(tried):
    """There is nothing to tell."""
    assert _ran(tried, QidguardAuditOperator, policy="none.yaml", source="ward.csv") is None


def test_without_the_provider_nothing_is_told(tried, monkeypatch):
    """A task does not need OpenLineage."""
    original = builtins.__import__

    def without(name, *given, **more):
        if name.startswith(("openlineage", "airflow.providers.openlineage")):
            raise ImportError(name)
        return original(name, *given, **more)

    operator = QidguardAuditOperator(task_id="audit", policy="ward.yaml", source="ward.csv")
    tried.execute(operator)
    monkeypatch.delitem(sys.modules, "qidguard_provider.lineage")
    monkeypatch.setattr(builtins, "__import__", without)
    assert operator.get_openlineage_facets_on_complete(None) is None


def test_the_provider_asks_the_operator(tried):
    """Its extractor finds the methods, and takes what they say."""
    operator = QidguardAuditOperator(task_id="audit", policy="ward.yaml", source="ward.csv")
    tried.execute(operator)
    extractor = ExtractorManager().get_extractor_class(operator)(operator)
    told = extractor.extract_on_complete(None)
    assert "qidguard_measurements" in told.inputs[0].inputFacets
