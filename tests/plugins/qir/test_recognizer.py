"""The recognizer of columns by their risk: asked by name, otherwise silent."""

import pandas as pd
import pytest

import qidguard
from qidguard.auditing.searching import recognize_table
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.sdk import DecidedBy, DiscoveryTask, Needs, NotMeasurable, Role, UserError, open_table
from qidguard_qir.recognizer import RECOGNIZERS

(RISK,) = RECOGNIZERS
FRAME = pd.DataFrame(
    {
        "c0": [i % 40 for i in range(100)],
        "c1": [i % 10 for i in range(100)],
        "c2": [i % 9 for i in range(100)],
        "c3": [i % 2 for i in range(100)],
    }
)
GIVEN = DiscoveryTask(strategy="qir", parameters={"alpha": 20, "beta": 5})


def proposals(frame, task):
    """Return what is proposed for all columns of a table."""
    with qidguard.audit(frame) as audit:
        return RISK.propose_from(audit.table, audit.table.columns, task)


def test_it_is_silent_unless_it_is_asked():
    """No proposal for a draft, nor under another strategy."""
    with qidguard.audit(FRAME) as audit:
        assert RISK.propose(audit.table.columns) == ()
    assert proposals(FRAME, DiscoveryTask(strategy="greedy")) == ()
    assert proposals(FRAME, DiscoveryTask()) == ()


def test_it_proposes_what_lies_between_given_thresholds():
    """Risks 40, 10, 9 and 2 %; the reason has the risk, the thresholds and where they come from."""
    found = proposals(FRAME, GIVEN)
    assert [p.assignment.column for p in found] == ["c1", "c2"]
    assert {(p.assignment.role, p.assignment.decided_by, p.confidence) for p in found} == {
        (Role.QUASI_IDENTIFIER, DecidedBy.STATISTICS, 0.6)
    }
    assert found[0].assignment.reason == (
        "its risk of 10 % lies between β (5 %) and α (20 %); thresholds given"
    )


def test_thresholds_are_proposed_where_none_is_given():
    """It is less sure then, and says where they stand."""
    found = proposals(FRAME, DiscoveryTask(strategy="qir"))
    assert [(p.assignment.column, p.confidence) for p in found] == [("c1", 0.5), ("c2", 0.5)]
    assert "thresholds proposed: α in the widest gap above" in found[0].assignment.reason


def test_what_it_cannot_answer_it_says():
    """Two risks suggest no thresholds; one of the two alone is a mistake."""
    with pytest.raises(NotMeasurable, match="give alpha and beta"):
        proposals(FRAME[["c1", "c3"]], DiscoveryTask(strategy="qir"))
    with pytest.raises(UserError, match="beta is missing"):
        proposals(FRAME, DiscoveryTask(strategy="qir", parameters={"alpha": 3}))


@pytest.mark.parametrize("entity", [None, "who"])
def test_an_audit_is_told_by_risk_alone_and_both_searches_do_not_run(entity):
    """With the strategy qir what it found are the only proposals, though another plugin can search too."""
    frame = FRAME.assign(who=[i // 2 for i in range(100)]) if entity else FRAME
    roles = {"quasi_identifiers": "auto"} | ({"entity": entity} if entity else {})
    rules = load_policy(
        {
            "qidguard": 1,
            "name": "p",
            "roles": roles,
            "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            "discovery": {"strategy": "qir", "parameters": {"alpha": 50, "beta": 5}},
        }
    )
    with open_table(frame, Needs(entity=entity)) as table:
        found = recognize_table(table, rules, load_host())
    assert found.blocks == ()
    by_risk = [n for n, p in found.proposals.items() if p.assignment.decided_by is DecidedBy.STATISTICS]
    assert by_risk == ["c0", "c1", "c2"]
