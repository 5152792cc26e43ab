"""Reports of a table of eight records, for the examples in this package's documentation and its tests."""

from dataclasses import replace

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.measurement import Measurement
from qidguard.core.report import AuditReport, ClassSummary, ColumnReport, NextSteps
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.verdict import Block, Bound, Limit, ThresholdResult, judge

QIDS = ("age", "sex", "zip")


def column(
    name: str,
    role: Role,
    value_type: ValueType,
    distinct: int,
    missing: int = 0,
    *,
    by: DecidedBy = DecidedBy.PERSON,
    reason: str = "",
    records: int = 8,
) -> ColumnReport:
    """Return one column of a report."""
    facts = ColumnFacts(name=name, value_type=value_type, records=records, distinct=distinct, missing=missing)
    assignment = RoleAssignment(column=name, role=role, decided_by=by, reason=reason)
    return ColumnReport(facts=facts, assignment=assignment)


def threshold(  # noqa: PLR0913 - the parts of a threshold
    title: str,
    value: float | None,
    bound: Bound,
    limit: float,
    *,
    unit: str = "entities",
    sensitive: str | None = None,
    reason: str = "",
    combination: str = "default",
    qids: tuple[str, ...] = QIDS,
) -> ThresholdResult:
    """Return one judged threshold of a report."""
    figure = Measurement(
        metric=title.lower().replace(" ", "_").replace("-", "_"),
        title=title,
        value=value,
        unit=unit,
        qids=qids,
        sensitive=sensitive,
        reason=reason,
    )
    return ThresholdResult(limit=Limit(bound=bound, value=limit, combination=combination), measurement=figure)


def passed() -> AuditReport:
    """Return a report whose two thresholds hold."""
    results = (
        threshold("k-anonymity", 2, Bound.AT_LEAST, 2),
        threshold("Maximum prosecutor risk", 0.5, Bound.AT_MOST, 0.5, unit="share"),
    )
    return AuditReport(
        source="visits.csv",
        verdict=judge(results),
        columns=(
            column("patient", Role.ENTITY, ValueType.TEXT, 5),
            column("age", Role.QUASI_IDENTIFIER, ValueType.INTEGER, 2),
            column("sex", Role.QUASI_IDENTIFIER, ValueType.TEXT, 2),
            column("zip", Role.QUASI_IDENTIFIER, ValueType.TEXT, 2, 2),
            column("diagnosis", Role.SENSITIVE, ValueType.TEXT, 3),
        ),
        summaries=(
            ClassSummary(combination="default", qids=QIDS, classes=2, smallest=2, uniques=0, persons=5),
        ),
        records=8,
        entities=5,
        notes=(),
        policy="visits",
        policy_digest="0" * 64,
        preset=None,
        versions={"qidguard": "0.1.0"},
        engine="duckdb",
        seconds=0.25,
        next_steps=NextSteps(source=("visits.csv",), policy="visits.yaml", method="mondrian"),
    )


def blocked() -> AuditReport:
    """Return a report with a missed threshold, one without a number, and another reason to block."""
    results = (
        threshold("k-anonymity", 1, Bound.AT_LEAST, 2),
        threshold("Maximum prosecutor risk", 1.0, Bound.AT_MOST, 0.5, unit="share"),
        threshold("Distinct l-diversity", 1, Bound.AT_LEAST, 1, unit="values", sensitive="diagnosis"),
        threshold("k-map", None, Bound.AT_LEAST, 5, reason="no population table was given"),
    )
    block = Block(
        rule="unnamed_columns",
        sentence="The policy does not name the column 'room'; give it a role or drop it.",
    )
    room = column("room", Role.UNCLASSIFIED, ValueType.INTEGER, 6, by=DecidedBy.NOBODY)
    whole = passed()
    return replace(
        whole,
        verdict=judge(results, [block]),
        columns=(*whole.columns, room),
        summaries=(
            ClassSummary(combination="default", qids=QIDS, classes=4, smallest=1, uniques=3, persons=5),
        ),
        notes=("2 records have no zip; they are a group of their own.",),
        next_steps=NextSteps(
            source=("visits.csv", "--delimiter", ";"),
            policy="visits.yaml",
            undecided=1,
            to_decide=("  # which of these lists?", "  # - room  # nobody knows it"),
            method="mondrian",
        ),
    )


def described() -> AuditReport:
    """Return a report without a policy, in which recognizers proposed the roles."""
    whole = passed()
    proposed = tuple(
        replace(
            c,
            assignment=replace(
                c.assignment, decided_by=DecidedBy.LEXICON, reason=f"the name says {c.facts.name}"
            ),
        )
        for c in whole.columns
    )
    summary = replace(whole.summaries[0], combination="suggested")
    return replace(
        whole,
        verdict=None,
        columns=proposed,
        summaries=(summary,),
        policy=None,
        policy_digest=None,
        is_auto=True,
    )
