"""The kind of every column: what the policy states, else what recognizers propose, else nothing."""

from typing import TYPE_CHECKING, Any

from qidguard.auditing.content import Tested, anonymous
from qidguard.auditing.wording import kind_without_values
from qidguard.core.errors import PluginError
from qidguard.core.kind import KindAssignment
from qidguard.core.recognizer import KindProposal
from qidguard.core.role import DecidedBy

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
