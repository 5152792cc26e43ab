"""The recognizer of columns by their risk: asked by name, otherwise silent."""

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import DecidedBy, DiscoveryTask, NotMeasurable, PolicyError, Role, UserError
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


def policy(parameters, **roles):
    """Return a policy that leaves the quasi-identifiers to QIR."""
    return {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": "auto", **roles},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        "discovery": {"strategy": "qir", "parameters": parameters},
    }


@pytest.mark.parametrize("entity", [None, "who"])
def test_an_audit_takes_what_lies_between_the_thresholds(entity, monkeypatch):
    """Those are its quasi-identifiers; the rest blocks, and the plugin that searches sets is not asked."""
    monkeypatch.setattr("qidguard_qidlearning.recognizers.Search.propose_from", lambda *_: 1 / 0)
    frame = FRAME.assign(who=[i // 2 for i in range(100)]) if entity else FRAME
    roles = {"entity": entity} if entity else {}
    with qidguard.audit(frame, policy=policy({"alpha": 30, "beta": 5}, **roles)) as audit:
        by = {one.facts.name: one.assignment for one in audit.report.columns}
        qids = audit.verdict.thresholds[0].measurement.qids
        blocked = " ".join(block.sentence for block in audit.verdict.blocks)
    assert qids == ("c1", "c2")
    assert {by[name].decided_by for name in qids} == {DecidedBy.STATISTICS}
    assert "'c0'" in blocked
    assert "'c3'" in blocked
    assert "search" not in blocked


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"alpha": 3}, "beta is missing; give both"), ({"alpha": 3, "beta": 4}, "beta must be at most alpha")],
)
def test_thresholds_that_make_no_sense_block(parameters, words):
    """The sentence says which, and nothing is judged as if it were found."""
    with qidguard.audit(FRAME, policy=policy(parameters)) as audit:
        assert not audit.is_passed
        assert words in " ".join(block.sentence for block in audit.verdict.blocks)


def test_a_parameter_that_the_strategy_does_not_have_is_the_policy_s_fault():
    """It is said before anything is loaded."""
    with pytest.raises(PolicyError, match="unknown parameter 'gamma'"):
        qidguard.audit(FRAME, policy=policy({"gamma": 3}))
