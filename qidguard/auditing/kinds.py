"""The kind of every column: what the policy states, else what recognizers propose, else nothing."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.content import Tested, anonymous
from qidguard.core.errors import PluginError
from qidguard.core.kind import KindAssignment
from qidguard.core.recognizer import Evidence, KindProposal, RoleProposal
from qidguard.core.role import DecidedBy
from qidguard.core.value_parts import holds_value

if TYPE_CHECKING:
    from qidguard.policy import Policy


def kinds_by(recognizer: Any, tested: Tested, whose: str) -> list[KindProposal]:
    """Return the kinds that a recognizer proposes; none where it has no opinion of kinds.

    PluginError where something of it is no proposal.
    """
    propose = getattr(recognizer, "propose_kinds", None)
    if not callable(propose):
        return []
    # its tests may have kept values, which then stand in what it raises or says
    is_told = bool(getattr(recognizer, "tests", ()))
    given: list[object] = (
        anonymous(lambda: list(propose(tested.columns))) if is_told else list(propose(tested.columns))
    )
    for proposal in given:
        if not isinstance(proposal, KindProposal):
            raise PluginError(
                f"{whose} proposed {type(proposal).__name__}, not KindProposal; mend the plugin"
            )
    found = [proposal for proposal in given if isinstance(proposal, KindProposal)]
    return [kind_without_values(proposal, tested) for proposal in found] if is_told else found


def kind_of(column: str, policy: "Policy | None", proposal: KindProposal | None) -> KindAssignment | None:
    """Return the kind of a column: what a person states wins over what a recognizer proposes."""
    if policy is not None and column in policy.kinds:
        return KindAssignment(
            kind=policy.kinds[column], decided_by=DecidedBy.PERSON, reason="the policy states it"
        )
    return None if proposal is None else proposal.assignment


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
