"""What a proposed role does: which proposals a column gets, and what each means where recognizers decide."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self

from qidguard.auditing.demands import Demand
from qidguard.core.column import ColumnFacts
from qidguard.core.recognizer import PROPOSED_FROM, RoleProposal
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.verdict import Block

if TYPE_CHECKING:
    from qidguard.policy import Policy


def plausible(proposal: RoleProposal, facts: ColumnFacts) -> RoleProposal:
    """Return a proposal; that of a key of persons is a question where values hardly repeat, or too often."""
    if proposal.assignment.role is not Role.ENTITY or facts.is_repeating_key or not proposal.is_sure:
        return proposal
    return replace(proposal, confidence=PROPOSED_FROM / 2)


BOTH_FROM = 0.6
"""The confidence from which a column is a QID and sensitive at once although another role is surer."""

_BOTH = {Role.QUASI_IDENTIFIER, Role.SENSITIVE}


def chosen(rivals: Sequence[RoleProposal]) -> RoleProposal:
    """Return the surest proposal; one of a QID that is sensitive, too, where both are as good as sure."""
    first = rivals[0]
    if first.assignment.role not in _BOTH:
        return first
    other = next((p for p in rivals if p.assignment.role in _BOTH - {first.assignment.role}), None)
    if other is None or other.confidence < BOTH_FROM:
        return first
    qid, sensitive = (first, other) if first.assignment.role is Role.QUASI_IDENTIFIER else (other, first)
    reason = f"{qid.assignment.reason}; sensitive, too: {sensitive.assignment.reason}"
    assignment = replace(qid.assignment, is_also_sensitive=True, reason=reason)
    evidence = tuple(dict.fromkeys((*qid.evidence, *sensitive.evidence)))
    return RoleProposal(
        assignment=assignment,
        confidence=other.confidence,
        evidence=evidence,
        sensitivity=sensitive.sensitivity,
    )


def asked(proposal: RoleProposal) -> str:
    """Return an unsure proposal as a question.

    Example:
        >>> from qidguard.core.recognizer import Evidence
        >>> why = Evidence(by=DecidedBy.CONTENT, sentence="the table is of patients")
        >>> asked(RoleProposal.of("num", Role.SENSITIVE, 0.3, why))
        'is it a sensitive attribute? the table is of patients'
    """
    return f"is it {SPOKEN_ROLES[proposal.assignment.role]}? {proposal.assignment.reason}".rstrip()


SPOKEN_ROLES = {
    Role.DIRECT_IDENTIFIER: "a direct identifier",
    Role.QUASI_IDENTIFIER: "a quasi-identifier",
    Role.SENSITIVE: "a sensitive attribute",
    Role.INSENSITIVE: "harmless",
    Role.TARGET: "the target",
    Role.TREATMENT: "the treatment",
    Role.ENTITY: "the key of persons",
    Role.WEIGHT: "the sampling weight",
    Role.UNCLASSIFIED: "of any role",
}
"""A role as a sentence calls it."""

_NEVER_BY_PLUGIN = {Role.INSENSITIVE, Role.TARGET, Role.TREATMENT}
"""What only a person can decide: no recognizer makes a column harmless."""


def recognized_role(proposal: RoleProposal, policy: "Policy") -> tuple[RoleAssignment, Block | None] | None:
    """Return what a proposal makes of a column that the policy does not name, where recognizers decide.

    A proposed QID, sensitive attribute or weight is one. A direct identifier and a key of persons block,
    whatever the policy calls columns without a name: the one must not be published, and by the other persons
    are to be counted. Where a person is asked, the question blocks, too. Under ``unnamed_columns:
    quasi_identifier`` all but direct identifiers and keys are QIDs. None leaves it to ``unnamed_columns``.
    """
    assignment, rule = proposal.assignment, policy.unnamed_columns
    role = assignment.role
    if role in _NEVER_BY_PLUGIN:
        return None
    is_open = role in {Role.DIRECT_IDENTIFIER, Role.ENTITY} or not proposal.is_sure
    if rule == "quasi_identifier" and not (is_open and proposal.is_sure):
        if role is Role.QUASI_IDENTIFIER and proposal.is_sure:
            return assignment, None
        if role is not Role.SENSITIVE or not proposal.is_sure:
            return None
        reason = f"the policy calls unnamed columns quasi-identifiers; {assignment.reason}"
        both = replace(assignment, role=Role.QUASI_IDENTIFIER, is_also_sensitive=True, reason=reason)
        return both, None
    if not is_open and role is not Role.UNCLASSIFIED:
        return assignment, None
    return assignment.left_open(), _open(proposal)


def _open(proposal: RoleProposal) -> Block:
    """Return the block of a column that a proposal leaves to a person."""
    column, role = proposal.assignment.column, proposal.assignment.role
    if role is not Role.ENTITY or not proposal.is_sure:
        return OpenColumn.of(
            UNNAMED, column, f"it looks like: {role.value}" if proposal.is_sure else asked(proposal)
        )
    sentence = (
        f"Column {column!r} is not named by the policy and looks like the key of persons, who are to be"
        " counted by it; name it as roles.entity, give it another role or drop it."
    )
    return Block(rule="unnamed_columns", sentence=sentence)


class OpenKind(NamedTuple):
    """Why a column is left open: the rule, and the sentence on one such column and on many."""

    rule: str
    one: str
    many: str


UNNAMED = OpenKind(
    "unnamed_columns",
    "Column {0} is not named by the policy{1}; give it a role or drop it.",
    "{0} columns are not named by the policy; give each a role or drop it: {1}.",
)
UNLIMITED = OpenKind(
    "unnamed_columns",
    "Column {0} is not named by the policy (it looks like: sensitive), and no threshold limits what is"
    " learned of it; add one, give the column a role or drop it.",
    "{0} columns are not named by the policy and look sensitive, and no threshold limits what is learned of"
    " them; add one, give each a role or drop it: {1}.",
)
CALLED_LIKE_A_VALUE = OpenKind(
    "column_names",
    "Column {0} is not named by the policy, and its name would be published: where the first line is data say"
    " `header: false`, else name the column in a role or drop it.",
    "{0} columns whose names look like values are not named by the policy, and their names would be"
    " published: where the first line is data say `header: false`, else name each in a role or drop it:"
    " columns {1}.",
)


@dataclass(frozen=True, kw_only=True)
class OpenColumn(Block):
    """A column that the policy leaves open; one that is called like a value is told by its place."""

    column: str
    kind: OpenKind

    @classmethod
    def of(cls, kind: OpenKind, column: str, looks: str = "") -> Self:
        """Return the block of a column, with what it looks like."""
        told = column if kind is CALLED_LIKE_A_VALUE else repr(column)
        sentence = kind.one.format(told, f" ({looks})" if looks else "")
        return cls(rule=kind.rule, sentence=sentence, column=column, kind=kind)

    @property
    def listed(self) -> str:
        """The column among many."""
        return self.column.partition(",")[0] if self.kind is CALLED_LIKE_A_VALUE else repr(self.column)


_MOST_SENTENCES = 3
_MOST_NAMES = 24


def as_one_list(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return blocks with those of more than three columns of a kind as one sentence, where the first was."""
    alike: dict[OpenKind, list[OpenColumn]] = {}
    for block in blocks:
        if isinstance(block, OpenColumn):
            alike.setdefault(block.kind, []).append(block)
    listed: list[Block] = []
    for block in blocks:
        every = alike[block.kind] if isinstance(block, OpenColumn) else []
        if len(every) <= _MOST_SENTENCES:
            listed.append(block)
        elif block is every[0]:
            more = f" and {len(every) - _MOST_NAMES:,} more" if len(every) > _MOST_NAMES else ""
            shown = ", ".join(one.listed for one in every[:_MOST_NAMES]) + more
            sentence = every[0].kind.many.format(f"{len(every):,}", shown)
            listed.append(Block(rule=block.rule, sentence=sentence))
    return tuple(listed)


def recognized_sensitive(assignments: Iterable[RoleAssignment]) -> tuple[str, ...]:
    """Return the columns that recognizers call sensitive."""
    return tuple(a.column for a in assignments if a.is_sensitive and a.decided_by is not DecidedBy.PERSON)


def unlimited(
    policy: "Policy", assignments: Sequence[RoleAssignment], asked_for: Sequence[Demand]
) -> list[Block]:
    """Return a block for each column that recognizers call sensitive and that no threshold limits.

    A policy that calls unnamed columns insensitive has said that they need no threshold.
    """
    if not policy.is_auto or policy.unnamed_columns != "block":
        return []
    limited = {d.question.attribute for d in asked_for if d.limit.is_blocking}
    open_ = [
        OpenColumn.of(UNLIMITED, a.column)
        for a in assignments
        if a.role is Role.SENSITIVE and a.decided_by is not DecidedBy.PERSON and a.column not in limited
    ]
    return list(as_one_list(open_))
