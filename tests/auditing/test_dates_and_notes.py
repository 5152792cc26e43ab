"""Tests of dates in a policy, and of notes that do not block."""

from datetime import date

import qidguard
from audited import TABLE, policy, roles
from qidguard import ExitCode


def test_a_policy_past_its_review_date_blocks():
    """A policy holds until the day it was to be reviewed by, that day included."""
    given = policy(review_by="2026-11-13")
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 13)) as audit:
        assert audit.is_passed
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 14)) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "2026-11-13" in audit.verdict.blocks[0].sentence


def test_an_attestation_of_tomorrow_blocks():
    """Nobody can have attested something on a day that is yet to come."""
    given = policy(
        attestations=[{"statement": "no actual knowledge", "by": "P. Officer", "on": "2026-11-14"}]
    )
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 13)) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 14)) as audit:
        assert audit.is_passed


def test_direct_identifiers_are_noted():
    """The verdict speaks of a release without direct identifiers."""
    given = policy() | roles(direct_identifiers=["visit"], insensitive=[])
    with qidguard.audit(TABLE, policy=given) as audit:
        notes = " ".join(audit.report.notes)
        assert audit.is_passed
        assert "direct identifiers: 'visit'" in notes


def test_a_cell_rule_used_for_class_sizes_says_that_it_is_an_analogy():
    """cms-11 is a rule on cells of tables; the report says so when a policy builds on it."""
    attested = {"statement": "nothing is derivable", "by": "P. Officer", "on": "2026-11-01"}
    given = policy(preset="cms-11", attestations=[attested])
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 13)) as audit:
        assert any(note.startswith("Preset cms-11:") and "analogy" in note for note in audit.report.notes)
