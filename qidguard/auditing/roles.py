"""Give every column its role: from the policy, else from recognizers, else from nobody."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from qidguard.auditing.content import Tested, anonymous, tested_columns
from qidguard.auditing.kinds import kinds_by, without_values
from qidguard.auditing.lexicon_and_codebook import NOTHING, ReadBeside
from qidguard.auditing.proposed import (
    OpenColumn,
    ValueNamedColumn,
    as_one_list,
    asked,
    chosen,
    plausible,
    recognized_role,
)
from qidguard.auditing.relations import inherited
from qidguard.core.column import ColumnFacts
from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode
from qidguard.core.recognizer import KindProposal, RoleProposal
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.value_parts import told_name
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


def suggested_roles(columns: Sequence[ColumnFacts], recognition: Recognition) -> tuple[RoleAssignment, ...]:
    """Return the proposed role of every column.

    One that nobody knows, or of which a person is asked, is unclassified, never safe.
    """
    return tuple(_proposed(facts.name, recognition) for facts in columns)


def _proposed(name: str, recognition: Recognition) -> RoleAssignment:
    proposal = recognition.proposals.get(name)
    if proposal is None or proposal.is_sure:
        return _suggested(name, recognition)
    return proposal.assignment.left_open(asked(proposal))


def recognition_of(columns: "Sequence[ColumnReport]") -> Recognition:
    """Return the recognition behind a report: what was a QID before a table is transformed still is one."""
    return Recognition(
        proposals={
            column.facts.name: RoleProposal(assignment=column.assignment, confidence=1.0)
            for column in columns
            if column.assignment.decided_by not in {DecidedBy.PERSON, DecidedBy.NOBODY}
        }
    )


def policy_roles(
    columns: Sequence[str], policy: "Policy", recognition: Recognition | None
) -> tuple[tuple[RoleAssignment, ...], tuple[Block, ...]]:
    """Return the role of every column under a policy, and a block for each that it leaves open.

    Many open columns are one block, which lists them.
    """
    given = given_roles(policy)
    assignments = []
    blocks: list[Block] = []
    for place, name in enumerate(columns, start=1):
        if name in given:
            is_both = given[name] is Role.QUASI_IDENTIFIER and name in policy.roles.sensitive
            assignments.append(
                RoleAssignment(
                    column=name,
                    role=given[name],
                    decided_by=DecidedBy.PERSON,
                    is_also_sensitive=is_both,
                )
            )
            continue
        if name in policy.dropped_columns:
            # it needs no role, since nobody will see it
            reason, person = "dropped before publication", DecidedBy.PERSON
            assignments.append(
                RoleAssignment(column=name, role=Role.INSENSITIVE, decided_by=person, reason=reason)
            )
            continue
        # a column that a recognizer knows to identify people is not insensitive because nobody named it
        suggested = _suggested(name, recognition) if recognition else None
        told = told_name(name, place)
        proposal = recognition.proposals.get(name) if recognition else None
        found = recognized_role(proposal, policy) if policy.is_auto and proposal else None
        if told != repr(name):
            found = _named_like_a_value(name, told)
        assignment, block = found or _unnamed(name, policy, suggested)
        assignments.append(assignment)
        blocks += [block] if block else []
    return tuple(assignments), as_one_list(blocks)


def given_roles(policy: "Policy") -> dict[str, Role]:
    """Return column → role; where a column has two, the one that matters most for release wins."""
    roles = policy.roles
    given: dict[str, Role] = {}
    qids: list[str] = [] if policy.is_auto else list(roles.quasi_identifiers)
    qids += [qid for combination in policy.combinations for qid in combination.quasi_identifiers]
    for role, names in (
        (Role.DIRECT_IDENTIFIER, roles.direct_identifiers),
        (Role.QUASI_IDENTIFIER, qids),
        (Role.SENSITIVE, roles.sensitive),
        (Role.ENTITY, [roles.entity]),
        (Role.WEIGHT, [roles.weight]),
        (Role.TARGET, [roles.target]),
        (Role.TREATMENT, [roles.treatment]),
        (Role.INSENSITIVE, roles.insensitive),
    ):
        for name in names:
            if name is not None:
                given.setdefault(name, role)
    return given


def _suggested(name: str, recognition: Recognition) -> RoleAssignment:
    if name in recognition.proposals:
        return recognition.proposals[name].assignment
    return RoleAssignment(
        column=name, role=Role.UNCLASSIFIED, decided_by=DecidedBy.NOBODY, reason="no recognizer knows it"
    )


def _named_like_a_value(name: str, told: str) -> tuple[RoleAssignment, Block]:
    """Leave a column open that is called like a value, whatever the policy says of columns without a name."""
    open_ = RoleAssignment(
        column=name, role=Role.UNCLASSIFIED, decided_by=DecidedBy.NOBODY, reason="its name looks like a value"
    )
    return open_, ValueNamedColumn.of(told)


def _unnamed(
    name: str, policy: "Policy", suggested: RoleAssignment | None
) -> tuple[RoleAssignment, Block | None]:
    rule = policy.unnamed_columns
    is_identifier = suggested is not None and suggested.role is Role.DIRECT_IDENTIFIER
    if rule == "insensitive" and not is_identifier:
        reason = "the policy calls unnamed columns insensitive"
        person = DecidedBy.PERSON
        return RoleAssignment(column=name, role=Role.INSENSITIVE, decided_by=person, reason=reason), None
    if rule == "quasi_identifier":
        reason = "the policy calls unnamed columns quasi-identifiers"
        person = DecidedBy.PERSON
        return RoleAssignment(column=name, role=Role.QUASI_IDENTIFIER, decided_by=person, reason=reason), None
    guess = suggested or RoleAssignment(column=name, role=Role.UNCLASSIFIED, decided_by=DecidedBy.NOBODY)
    looks = "" if guess.role is Role.UNCLASSIFIED else f"it looks like: {guess.role.value}"
    return guess.left_open(), OpenColumn.of(name, looks)
