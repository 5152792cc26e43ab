"""A report whose names try everything that a terminal, an XML reader or a browser might fall for."""

from dataclasses import replace

import pytest

from example_report import blocked
from qidguard.core.report import AuditReport
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.verdict import Block, judge

NAMES = (
    "[red]x[/red]",
    "\x1b[2J\x1b]0;owned\x07",
    "a\r\nb\tc",
    "</td><script>alert(1)</script>",
    "]]>&<!--",
    "right\u202eleft",
    "zero\u200bwidth",
    "\x00null",
    "\ud800",
    "\ufffe",
    "年齢" * 30,
    "🧑",
    "",
    " ",
    'SELECT "x" FROM y',
    ":smile:",
)


@pytest.fixture
def hostile() -> AuditReport:
    """Return a blocked report with hostile names wherever a name can stand."""
    report = blocked()
    assert report.verdict is not None
    columns = tuple(
        replace(
            report.columns[0],
            facts=replace(report.columns[0].facts, name=name),
            assignment=RoleAssignment(
                column=name, role=list(Role)[i % 9], decided_by=DecidedBy.PERSON, reason=name
            ),
        )
        for i, name in enumerate(NAMES)
    )
    results = tuple(
        replace(
            r,
            limit=replace(r.limit, combination=NAMES[3]),
            measurement=replace(
                r.measurement,
                qids=NAMES,
                title=NAMES[1],
                metric=NAMES[4],
                sensitive=NAMES[0],
                reason=NAMES[7],
            ),
        )
        for r in report.verdict.thresholds
    )
    blocks = [Block(rule=name, sentence=name, is_internal=i % 2 == 0) for i, name in enumerate(NAMES)]
    summary = replace(report.summaries[0], qids=NAMES, combination=NAMES[3])
    return replace(
        report,
        source=NAMES[1],
        verdict=judge(results, blocks),
        columns=columns,
        summaries=(summary,),
        notes=NAMES,
        policy=NAMES[3],
        preset=NAMES[1],
        engine=NAMES[1],
        versions={NAMES[1]: NAMES[3]},
    )
