"""Sentences of recognizers without values of the table, which their tests may have kept."""

from dataclasses import replace

from qidguard.auditing.content import Tested
from qidguard.core.recognizer import Evidence, KindProposal, RoleProposal
from qidguard.core.value_parts import holds_value

INSTEAD = "its reason is not shown, for it holds a value of the table"


def without_values(proposal: RoleProposal, tested: Tested) -> RoleProposal:
    """Return a proposal whose sentences hold no value of a small class that was looked at.

    Names of columns and titles of tests are no values, nor are figures of up to six characters, such as a
    share. What a recognizer writes in a code of its own is not found out: a plugin is code that you trust.
    """
    said = [proposal.assignment.reason]
    said += [] if proposal.sensitivity is None else [proposal.sensitivity.category]
    if not _holds_value(said, proposal.evidence, tested):
        return proposal
    assignment = replace(proposal.assignment, reason=INSTEAD)
    return replace(proposal, assignment=assignment, evidence=_unsaid(proposal.evidence), sensitivity=None)


def kind_without_values(proposal: KindProposal, tested: Tested) -> KindProposal:
    """Return a proposal of a kind whose sentences hold no value of a small class that was looked at."""
    if not _holds_value([], proposal.evidence, tested):
        return proposal
    return replace(proposal, evidence=_unsaid(proposal.evidence))


def _holds_value(said: list[str], evidence: tuple[Evidence, ...], tested: Tested) -> bool:
    said += [e.sentence for e in evidence]
    said += [e.test for e in evidence if e.test is not None]
    return any(holds_value(sentence, tested.rare) for sentence in said)


def _unsaid(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    return tuple(replace(e, sentence=INSTEAD, test=None) for e in evidence)
