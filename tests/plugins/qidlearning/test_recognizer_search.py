"""The recognizer that searches."""

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import DecidedBy, DiscoveryTask, NotMeasurable, Role, UserError
from qidguard_qidlearning.generators import labeled_table
from qidguard_qidlearning.recognizers import RECOGNIZERS

(SEARCH,) = RECOGNIZERS
FRAME = pd.DataFrame(
    {"age": [30, 30, 41, 41, 52, 52], "ward": ["a", "b"] * 3, "band": ["x", "x", "x", "x", "y", "y"]}
)
D = DiscoveryTask(objective={"distinction": 1, "column_count": -0.1})


def test_it_says_nothing_of_names_and_facts():
    """Single columns say nothing of sets."""
    with qidguard.audit(FRAME) as audit:
        assert SEARCH.propose(audit.table.columns) == ()


def test_it_proposes_the_columns_of_the_best_set():
    """Age and ward, by statistics, each with why; sure below a name, the more so the more sets have it."""
    with qidguard.audit(FRAME) as audit:
        proposals = SEARCH.propose_from(audit.table, audit.table.columns, D)
    assert [p.assignment.column for p in proposals] == ["age", "ward"]
    assert {(p.assignment.role, p.assignment.decided_by) for p in proposals} == {
        (Role.QUASI_IDENTIFIER, DecidedBy.STATISTICS)
    }
    # of the seven sets of three columns, four have any one column
    assert [p.confidence for p in proposals] == [round(0.5 + 0.3 * 4 / 7, 2)] * 2
    assert proposals[1].assignment.reason == "in 4 of the 7 best sets; raised distinction by 0.5"


def test_it_searches_only_the_columns_that_it_is_given():
    """Ward is no candidate here."""
    with qidguard.audit(FRAME) as audit:
        columns = [facts for facts in audit.table.columns if facts.name != "ward"]
        (proposal,) = SEARCH.propose_from(audit.table, columns, D)
    assert proposal.assignment.column == "age"


def test_it_has_no_answer_after_its_budget():
    """The clock decides nothing."""
    slow = DiscoveryTask(
        objective={"distinction": 1},
        strategy="evolutionary",
        parameters={"generations": 1_000_000},
        budget_seconds=0.2,
    )
    with qidguard.audit(FRAME) as audit, pytest.raises(NotMeasurable, match=r"its budget of 0\.2 seconds"):
        SEARCH.propose_from(audit.table, audit.table.columns, slow)


def test_its_mistakes_are_sentences():
    """An objective that does not exist is the policy's mistake."""
    with qidguard.audit(FRAME) as audit, pytest.raises(UserError, match="no objective 'recogniton'"):
        SEARCH.propose_from(audit.table, audit.table.columns, DiscoveryTask(objective="recogniton"))


@pytest.mark.slow
def test_an_audit_finds_masked_quasi_identifiers_with_it():
    """Names say nothing (c01, c02, …); with the other roles named, the search finds what values hide."""
    made = labeled_table(records=2_000, seed=3, is_masked=True)
    rules = {
        "qidguard": 1,
        "name": "p",
        "roles": {
            "quasi_identifiers": "auto",
            "sensitive": [made.sensitive],
            "target": made.target,
            "treatment": made.treatment,
        },
        "unnamed_columns": "insensitive",
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        "discovery": {"strategy": "greedy"},
    }
    with qidguard.audit(made.frame, policy=rules) as audit:
        by = {c.facts.name: c.assignment.decided_by for c in audit.report.columns}
        found = [name for name, who in by.items() if who in {DecidedBy.STATISTICS, DecidedBy.CONTENT}]
        assert set(made.quasi_identifiers) <= set(audit.verdict.thresholds[0].measurement.qids)
    assert set(found) >= set(made.quasi_identifiers)
