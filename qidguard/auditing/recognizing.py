"""Ask the recognizers of a table: the roles and kinds that they propose, in sentences without rare values."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.content import Tested, anonymous, tested_columns
from qidguard.auditing.lexicon_and_codebook import NOTHING, ReadBeside
from qidguard.auditing.proposed import chosen, plausible
from qidguard.auditing.relations import inherited
from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode
from qidguard.core.kind import KindAssignment
from qidguard.core.recognizer import Evidence, KindProposal, RoleProposal
from qidguard.core.role import DecidedBy
from qidguard.core.value_parts import holds_value
from qidguard.core.verdict import Block
from qidguard.host.kinds import RECOGNIZERS

if TYPE_CHECKING:
    from qidguard.core.recognizer import Recognizer
    from qidguard.core.report import ColumnReport
    from qidguard.engines.base import Table
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Recognition:
    """What the recognizers say.

    Args:
        proposals: Column → the most confident proposal.
        rivals: Column → every proposal for it, the surest first.
        kinds: Column → the surest proposal of what its values are.
        blocks: A fault of a recognizer, or of a plugin that may hold one.
    """

    proposals: dict[str, RoleProposal]
    rivals: dict[str, tuple[RoleProposal, ...]] = field(default_factory=dict)
    kinds: dict[str, KindProposal] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()

    @property
    def every(self) -> tuple[RoleProposal, ...]:
        """Every proposal for every column."""
        return tuple(proposal for proposals in self.rivals.values() for proposal in proposals)


NOBODY_ASKED = Recognition(proposals={})
"""Of a table of which nothing had to be recognized."""


def recognize(table: "Table", host: "Host", beside: ReadBeside = NOTHING) -> Recognition:
    """Ask every recognizer; a fault of one is recorded and the others still count.

    ``beside`` is what the policy has them read: its words for names, and its codebook.
    """
    tested = tested_columns(table, host)
    tested = replace(tested, columns=beside.labeled(tested.columns))
    blocks = [
        Block(rule="plugins", sentence=f"A recognizer may be missing: {sentence}.", is_internal=True)
        for sentence in host.missing(RECOGNIZERS)
    ]
    blocks += tested.blocks
    facts = {one.name: one for one in tested.columns}
    given: dict[str, list[RoleProposal]] = {}
    kinds: dict[str, KindProposal] = {}
    for installed in host.recognizers.values():
        recognizer = beside.recognizers.get(installed.name, installed)
        owner, what = host.owner("recognizers", recognizer.name), f"recognizer {recognizer.name!r}"
        try:
            with PluginCode(owner, what, passes=()):
                proposals = _proposals(recognizer, tested)
                found = kinds_by(recognizer, tested, f"{owner}: {what}")
            proposed = only_proposals(proposals, f"{owner}: {what}")
        except PluginError as error:
            blocks.append(Block(rule="plugins", sentence=f"{error}.", is_internal=True))
            continue
        for proposal in proposed:
            column = proposal.assignment.column
            if column in facts:
                given.setdefault(column, []).append(plausible(proposal, facts[column]))
        for kind in found:
            known = kinds.get(kind.column)
            if kind.column in facts and (known is None or kind.confidence > known.confidence):
                kinds[kind.column] = kind
    # of two that are as sure of one column, the recognizer that is first by name is heard
    best = {column: chosen(_surest_first(every)) for column, every in given.items()}
    for proposal in inherited(tested.columns, best):
        given.setdefault(proposal.assignment.column, []).append(proposal)
    rivals = {column: _surest_first(every) for column, every in given.items()}
    best = {column: chosen(every) for column, every in rivals.items()}
    return Recognition(proposals=best, rivals=rivals, kinds=kinds, blocks=tuple(blocks))


def _surest_first(proposals: Sequence[RoleProposal]) -> tuple[RoleProposal, ...]:
    return tuple(sorted(proposals, key=lambda proposal: -proposal.confidence))


def _proposals(recognizer: "Recognizer", tested: Tested) -> list[object]:
    if not getattr(recognizer, "tests", ()):
        return list(recognizer.propose(tested.columns))
    # its tests may have kept values, which then stand in what it raises or says
    proposals: list[object] = anonymous(lambda: list(recognizer.propose(tested.columns)))
    return [without_values(p, tested) if isinstance(p, RoleProposal) else p for p in proposals]


def only_proposals(given: Sequence[object], whose: str) -> list[RoleProposal]:
    """Return what a recognizer gave; PluginError where something of it is no proposal."""
    for proposal in given:
        if not isinstance(proposal, RoleProposal):
            raise PluginError(
                f"{whose} proposed {type(proposal).__name__}, not RoleProposal; mend the plugin"
            )
    return [proposal for proposal in given if isinstance(proposal, RoleProposal)]


def recognition_of(columns: "Sequence[ColumnReport]") -> Recognition:
    """Return the recognition behind a report: what was a QID before a table is transformed still is one."""
    return Recognition(
        proposals={
            column.facts.name: RoleProposal(assignment=column.assignment, confidence=1.0)
            for column in columns
            if column.assignment.decided_by not in {DecidedBy.PERSON, DecidedBy.NOBODY}
        }
    )


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
