"""Tests of audits in which recognizers choose the quasi-identifiers."""

from dataclasses import replace
from datetime import date

import pandas as pd

import qidguard
from audited import TABLE, policy, roles, threshold
from qidguard import ExitCode
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.sdk import DecidedBy, Role


def test_without_a_policy_roles_are_suggested_and_nothing_is_judged():
    """Sex and age are recognized by the lexicon; the exit code is 0."""
    with qidguard.audit(TABLE) as audit:
        suggested = {c.facts.name: c.assignment for c in audit.report.columns}
        assert suggested["sex"].role is Role.QUASI_IDENTIFIER
        assert suggested["age"].decided_by is DecidedBy.LEXICON
        assert audit.verdict is None
        assert audit.exit_code is ExitCode.PASSED
        assert audit.report.summaries[0].qids == ("sex", "age")


def test_auto_takes_recognized_columns_and_blocks_on_the_rest():
    """With quasi_identifiers: auto sex and age count; an unknown column still blocks."""
    given = policy(**roles(quasi_identifiers="auto", insensitive=[]))
    with qidguard.audit(TABLE.rename(columns={"visit": "xyzzy"}), policy=given) as audit:
        assert audit.verdict.thresholds[0].measurement.qids == ("sex", "age")
        assert "'xyzzy'" in audit.verdict.blocks[0].sentence
        assert audit.report.is_auto


def test_auto_without_any_recognized_column_blocks():
    """No quasi-identifier at all is a doubt, not a pass."""
    frame = pd.DataFrame({"xyzzy": [1, 1, 1], "illness": ["a", "b", "c"]})
    given = policy(unnamed_columns="insensitive") | roles(quasi_identifiers="auto", insensitive=[])
    with qidguard.audit(frame, policy=given) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert any("No column was recognized" in b.sentence for b in audit.verdict.blocks)


def test_auto_works_with_a_population_table():
    """Columns that recognizers choose are compared with the population, too."""
    import pyarrow as pa

    population = pa.table({"age": [30] * 5 + [41] * 4, "sex": ["f"] * 5 + ["m"] * 4})
    given = load_policy(
        policy(**threshold("k_map", at_least=4)) | roles(quasi_identifiers="auto", insensitive=["visit"])
    )
    from qidguard.auditing.context import AuditContext
    from qidguard.auditing.judging import plan, report_on
    from qidguard.core.progress import SILENT

    host = load_host()
    planned = plan(given, tuple(TABLE.columns), host)
    context = AuditContext.of(TABLE, given, host, today=date(2026, 11, 13), progress=SILENT)
    needs = replace(planned.needs, population=population)
    with context.engine.open(TABLE, context.read, needs, context.settings) as table:
        report = report_on(context, table, planned, 0.0)
    assert report.verdict.thresholds[0].measurement.value == 4
