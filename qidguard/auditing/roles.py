"""Give every column its role: from the policy, else from recognizers, else from nobody."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.lexicon_and_codebook import ReadBeside
from qidguard.auditing.proposed import (
    CALLED_LIKE_A_VALUE,
    UNNAMED,
    OpenColumn,
    as_one_list,
    asked,
    recognized_role,
)
from qidguard.auditing.recognizing import NOBODY_ASKED, Recognition, kind_of, recognize
from qidguard.auditing.searching import recognize_table
from qidguard.core.column import ColumnFacts
from qidguard.core.report import ColumnReport
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.value_parts import told_name
from qidguard.core.verdict import Block
from qidguard.engines.base import Table
from qidguard.policy.tables import moved_columns

if TYPE_CHECKING:
    from qidguard.auditing.context import AuditContext
    from qidguard.policy import Policy


_NEVER = {Role.QUASI_IDENTIFIER, Role.DIRECT_IDENTIFIER, Role.UNCLASSIFIED}


@dataclass(frozen=True, kw_only=True)
class Rest:
    """What is published outside the quasi-identifiers.

    Args:
        roles: Column → its role, in the table's order; no column that a person accepted by itself.
        accepted: The roles of the columns that a person accepted by themselves.
        words: The same columns → in which words, and who.
    """

    roles: dict[str, Role]
    accepted: dict[str, Role]
    words: dict[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """All of it, without what was accepted."""
        return tuple(self.roles)

    @property
    def asked(self) -> tuple[str, ...]:
        """All of it, with what was accepted."""
        return (*self.roles, *self.accepted)


def rest_of(assignments: Iterable[RoleAssignment], policy: "Policy | None") -> Rest:
    """Return the rest: no quasi-identifier, no direct identifier, nothing that is dropped or left open."""
    rest = Rest(roles={}, accepted={}, words={})
    for assignment in assignments:
        name, role = assignment.column, assignment.role
        is_open = role is Role.UNCLASSIFIED and policy is None  # nobody was asked yet
        if (role in _NEVER and not is_open) or (policy is None and role is Role.ENTITY):
            continue
        if policy is not None:
            is_kept_back = role is Role.ENTITY and name not in policy.roles.insensitive
            if is_kept_back or name in (*policy.dropped_columns, *moved_columns(policy.tables)):
                continue
            acceptance = policy.acceptance_of((name,))
            if acceptance is not None:
                rest.accepted[name], rest.words[name] = role, acceptance.words
                continue
        rest.roles[name] = role
    return rest


@dataclass(frozen=True, kw_only=True)
class ColumnRoles:
    """The roles of a table's columns under a policy.

    Args:
        assignments: One a column, in the table's order.
        known: What recognizers say of the table as it would be published; nothing where nobody asked them.
        deciding: What recognizers decided by, where the policy leaves a column open; None where it does not.
        blocks: One for what is left open.
        faults: Those of recognizers, where their word on roles was needed.
        qids: The QIDs of the main combination.
        rest: What is published outside the QIDs.
    """

    assignments: tuple[RoleAssignment, ...]
    known: Recognition
    deciding: Recognition | None
    blocks: tuple[Block, ...]
    faults: tuple[Block, ...]
    qids: tuple[str, ...]
    rest: Rest

    @classmethod
    def of(
        cls,
        context: "AuditContext",
        table: Table,
        policy: "Policy",
        beside: ReadBeside,
        before: Recognition | None = None,
    ) -> "ColumnRoles":
        """Return the roles of an open table's columns.

        Recognizers are asked where something is undecided, a role or the kinds that a remedy goes by, and
        where something is published outside the QIDs that nobody cleared. Where it was about roles, a fault
        of one is a block.

        Args:
            context: What was asked for.
            table: The table.
            policy: The policy, which fits its columns.
            beside: What the policy has recognizers read.
            before: What recognizers said before the table was transformed, which then decides.
        """
        names = tuple(facts.name for facts in table.columns)
        is_open = policy.is_auto or not set(names) <= set(policy.decided_columns)
        is_uncleared = bool(rest_of(policy_roles(names, policy, None)[0], policy).roles)
        is_source = table.changes is not None and table.changes.before is table.changes.after
        known = NOBODY_ASKED
        if is_open or is_uncleared or is_source:
            known = recognize(table, context.host, beside)
        deciding = before
        if before is None and is_open:
            deciding = recognize_table(table, policy, context.host, context.progress, known)
        assignments, blocks = policy_roles(names, policy, deciding)
        faults: tuple[Block, ...] = ()
        if deciding is not None and (policy.is_auto or policy.unnamed_columns == "insensitive"):
            faults = deciding.blocks
        elif is_uncleared:
            faults = known.blocks
        return cls(
            assignments=assignments,
            known=known,
            deciding=deciding,
            blocks=blocks,
            faults=faults,
            qids=main_qids(policy, assignments),
            rest=rest_of(assignments, policy),
        )

    @property
    def is_recognized(self) -> bool:
        """Whether recognizers were asked."""
        return self.known is not NOBODY_ASKED


def main_qids(policy: "Policy", assignments: tuple[RoleAssignment, ...]) -> tuple[str, ...]:
    """Return the QIDs of the main combination: those named, and unnamed columns that count as QIDs."""
    # what a person calls a QID is one for recognizers too, or a combination would weaken the main one
    of_others = {
        q for combination in policy.combinations for q in combination.quasi_identifiers if not policy.is_auto
    }
    named = () if policy.is_auto else policy.roles.quasi_identifiers
    more = (a.column for a in assignments if a.role is Role.QUASI_IDENTIFIER and a.column not in of_others)
    return tuple(dict.fromkeys((*named, *more)))


def column_reports(
    table: Table,
    assignments: tuple[RoleAssignment, ...],
    known: Recognition,
    policy: "Policy | None" = None,
) -> tuple[ColumnReport, ...]:
    """Return the table's columns with their roles, which stand in the same order, rivals and kinds."""
    return tuple(
        ColumnReport(
            facts=f,
            assignment=a,
            proposals=known.rivals.get(f.name, ()),
            kind=kind_of(f.name, policy, known.kinds.get(f.name)),
        )
        for f, a in zip(table.columns, assignments, strict=True)
    )


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
            assignments.append(replace(_by_person(name, given[name]), is_also_sensitive=is_both))
            continue
        if name in policy.dropped_columns:
            # it needs no role, since nobody will see it
            assignments.append(_by_person(name, Role.INSENSITIVE, "dropped before publication"))
            continue
        # a column that a recognizer knows to identify people is not insensitive because nobody named it
        suggested = _suggested(name, recognition) if recognition else None
        told = told_name(name, place)
        proposal = recognition.proposals.get(name) if recognition else None
        found = recognized_role(proposal, policy) if policy.is_auto and proposal else None
        if told != repr(name):
            # whatever the policy says of columns without a name
            open_ = OpenColumn.of(CALLED_LIKE_A_VALUE, told)
            found = _by_nobody(name, "its name looks like a value"), open_
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
    return _by_nobody(name, "no recognizer knows it")


def _by_person(name: str, role: Role, reason: str = "") -> RoleAssignment:
    return RoleAssignment(column=name, role=role, decided_by=DecidedBy.PERSON, reason=reason)


def _by_nobody(name: str, reason: str = "") -> RoleAssignment:
    return RoleAssignment(column=name, role=Role.UNCLASSIFIED, decided_by=DecidedBy.NOBODY, reason=reason)


def _unnamed(
    name: str, policy: "Policy", suggested: RoleAssignment | None
) -> tuple[RoleAssignment, Block | None]:
    rule = policy.unnamed_columns
    is_identifier = suggested is not None and suggested.role is Role.DIRECT_IDENTIFIER
    if rule == "insensitive" and not is_identifier:
        return _by_person(name, Role.INSENSITIVE, "the policy calls unnamed columns insensitive"), None
    if rule == "quasi_identifier":
        reason = "the policy calls unnamed columns quasi-identifiers"
        return _by_person(name, Role.QUASI_IDENTIFIER, reason), None
    guess = suggested or _by_nobody(name)
    looks = "" if guess.role is Role.UNCLASSIFIED else f"it looks like: {guess.role.value}"
    return guess.left_open(), OpenColumn.of(UNNAMED, name, looks)


def never_published(columns: Sequence[ColumnReport], policy: "Policy") -> dict[str, str]:
    """Return column → why it is never published."""
    dropped = {}
    for column in columns:
        name, role = column.facts.name, column.assignment.role
        if name in policy.roles.direct_identifiers or role is Role.DIRECT_IDENTIFIER:
            dropped[name] = "direct identifier"
        elif name in policy.dropped_columns:
            is_of_series = name not in policy.release.drop
            dropped[name] = "column of the series" if is_of_series else "dropped by the policy"
        elif name == policy.roles.entity and name not in policy.roles.insensitive:
            dropped[name] = "entity"
        elif role is Role.UNCLASSIFIED:
            dropped[name] = "unclassified"
    return dropped
