"""A small release for examples."""

from qidguard.core.measurement import Measurement
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Bound, Limit, ThresholdResult, judge
from qidguard.releasing.result import Outcome, Release


def small() -> Release:
    """Return a release that was published without a remedy."""
    figure = Measurement(
        metric="k_anonymity", title="k-anonymity", value=2, unit="records", qids=("age", "sex")
    )
    limit = Limit(bound=Bound.AT_LEAST, value=2)
    report = AuditReport(
        source="visits.csv",
        verdict=judge([ThresholdResult(limit=limit, measurement=figure)]),
        columns=(),
        summaries=(),
        records=8,
        entities=None,
        notes=(),
        policy="visits",
        policy_digest="0" * 64,
        preset=None,
        versions={"qidguard": "0.1.0"},
        engine="duckdb",
        seconds=0.25,
    )
    return Release(
        data_set="people",
        release_id="r1",
        audit_id="audit-1",
        outcome=Outcome.PASSED,
        report=report,
        address="published/people/r1",
    )
