"""What one audit found: plain values that the console, JSON, JUnit and notebooks render."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from qidguard.core.column import ColumnFacts
from qidguard.core.errors import ExitCode, UserError
from qidguard.core.isolated import IsolatedOverTime
from qidguard.core.kind import ColumnKind, KindAssignment, Sensitivity
from qidguard.core.new_table import NewTableFacts
from qidguard.core.noised import NoisedCombination
from qidguard.core.outside import OutsideQids
from qidguard.core.recognizer import RoleProposal
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.verdict import ThresholdResult, Verdict


@dataclass(frozen=True, kw_only=True)
class ColumnReport:
    """One column: the facts and the role with who decided it.

    Args:
        facts: The facts.
        assignment: The role.
        proposals: What recognizers propose, the surest first; rivals of the role are among them.
        kind: What its values are, as a person states or a recognizer proposes; None where nobody knows.
    """

    facts: ColumnFacts
    assignment: RoleAssignment
    proposals: tuple[RoleProposal, ...] = ()
    kind: KindAssignment | None = None

    @property
    def confidence(self) -> float | None:
        """How sure recognizers are of the role, or of what they ask, 0..1; None where they did not decide."""
        if self.assignment.decided_by in {DecidedBy.PERSON, DecidedBy.NOBODY} or not self.proposals:
            return None
        role = self.assignment.role
        asked = self._asked if role is Role.UNCLASSIFIED else None
        return next((p.confidence for p in self.proposals if p.assignment.role is role), asked)

    @property
    def sensitivity(self) -> Sensitivity | None:
        """By which law or custom the column is sensitive, or would be if a question is answered with yes.

        None where it is not sensitive, and where no recognizer knows.
        """
        role = self.assignment.role
        is_asked = role is Role.UNCLASSIFIED and self.assignment.decided_by is not DecidedBy.NOBODY
        if not (self.assignment.is_sensitive or is_asked or role is Role.DIRECT_IDENTIFIER):
            return None
        heard = self.proposals[:1] if is_asked else self.proposals
        return next((p.sensitivity for p in heard if p.sensitivity is not None), None)

    @property
    def _asked(self) -> float:
        return self.proposals[0].confidence

    @property
    def rivals(self) -> tuple[RoleProposal, ...]:
        """The surest proposal of each other role, unless a person decided; the surest first."""
        if self.assignment.decided_by is DecidedBy.PERSON:
            return ()
        known = {self.assignment.role} | ({Role.SENSITIVE} if self.assignment.is_sensitive else set())
        if self.assignment.role is Role.UNCLASSIFIED and self.proposals:
            known.add(self.proposals[0].assignment.role)
        others: dict[Role, RoleProposal] = {}
        for proposal in self.proposals:
            if proposal.assignment.role not in known:
                others.setdefault(proposal.assignment.role, proposal)
        return tuple(others.values())


@dataclass(frozen=True, kw_only=True)
class ClassSummary:
    """The equivalence classes of one QID combination.

    Args:
        combination: Its name in the policy (``default`` for the main one, ``suggested`` without a policy).
        qids: The columns.
        classes: Number of classes.
        smallest: Persons in the smallest class.
        uniques: Persons who are alone in a class.
        persons: Persons who stand in a class.
        suppressed: Records that stand in none, every one of the columns being suppressed.
    """

    combination: str
    qids: tuple[str, ...]
    classes: int
    smallest: int
    uniques: int
    persons: int
    suppressed: int = 0

    @property
    def share_alone(self) -> float:
        """Share of the persons who are alone in a class, 0..1."""
        return self.uniques / self.persons if self.persons else 0.0


UndoneKind = Literal["told", "known", "finer"]
"""How published columns undo the generalization of a QID."""


@dataclass(frozen=True, kw_only=True)
class Undone:
    """Published columns that undo the generalization of a QID, in one record or in many.

    Args:
        columns: One published column, or two together.
        qid: The QID.
        kind: What they do: ``told``, they tell its original values; ``known``, whoever knows these knows what
            is read in the columns; ``finer``, what is read determines the QID and is finer.
        part: What is read in the columns, such as ``year``; empty for their values.
        beside: A further QID that has to be known to know it; None where none has.
        persons: Persons whose original value is told, and told right, or of whom what is read is known.
        generalized: Persons in whom the QID was generalized, ≥ ``persons``.
        precision: Share of what is told that is right, 0..1.
        is_undone: Whether so much is told that the QID counts as published; else it is worth a note.
        accepted: The words in which a person accepts it, and who; None where nobody does.
    """

    columns: tuple[str, ...]
    qid: str
    kind: UndoneKind = "told"
    part: str = ""
    beside: str | None = None
    persons: int
    generalized: int
    precision: float
    is_undone: bool
    accepted: str | None = None


@dataclass(frozen=True, kw_only=True)
class ReadBack:
    """The policy's thresholds over a table in which what published columns tell was read back.

    Args:
        columns: The published columns that tell.
        qids: The QIDs that were read back.
        thresholds: The thresholds that can be measured again, with the figures over the table read back;
            those over time and those on what was lost cannot.
        uniques: Persons who are alone in a class of the main combination.
        below: Persons in classes of the main combination that are smaller than the policy's k; None where
            the policy limits no class size.
        is_accepted: Whether what a person accepted was read back, too; such figures block nothing.
    """

    columns: tuple[str, ...]
    qids: tuple[str, ...]
    thresholds: tuple[ThresholdResult, ...]
    uniques: int
    below: int | None
    is_accepted: bool = False

    @property
    def is_met(self) -> bool:
        """Whether no threshold keeps the table back."""
        return not any(result.is_blocking for result in self.thresholds)


@dataclass(frozen=True, kw_only=True)
class AcceptanceReport:
    """What the policy says that a person accepts, and whether this table needs it.

    Args:
        columns: One published column, or two together.
        tells: The QID whose original values they tell; None where the column is accepted by itself.
        reason: Why, in words.
        by: Who accepts it, or None.
        is_needed: Whether something of this table would block, or decide, without it; None where that cannot
            be known, since nothing was transformed.
    """

    columns: tuple[str, ...]
    tells: str | None
    reason: str
    by: str | None
    is_needed: bool | None


@dataclass(frozen=True, kw_only=True)
class NextSteps:
    """What a person does next with a table that is described or blocked.

    Args:
        source: The words by which a command names the table and how it is read; none where the policy says
            both, None for a table in memory.
        policy: The policy's file; None where it has none.
        undecided: Number of columns that nobody decided.
        to_decide: Lines of YAML for the policy's roles: each of these columns where recognizers would put it.
        method: An anonymizer that may make the table pass; empty where the policy has a remedy of its own,
            None where no method helps, or none is installed.
    """

    source: tuple[str, ...] | None
    policy: str | None = None
    undecided: int = 0
    to_decide: tuple[str, ...] = ()
    method: str | None = None


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """The result of one audit; carries counts, sizes, rates and column names, never values of the table.

    Args:
        source: What was audited, as the user named it.
        verdict: The judgment, or None where no policy was given.
        columns: All columns in the table's order.
        summaries: The classes of each QID combination.
        records: Number of records.
        entities: Number of entities, or None in a table without an entity column.
        notes: Sentences worth reading that do not block.
        policy: Name of the policy, or None.
        policy_digest: SHA-256 of the policy text, hex, or None.
        preset: Name of the preset the policy builds on, or None.
        versions: Name → version of the host and of every plugin that was loaded.
        engine: Name of the engine.
        seconds: Wall time of the audit.
        is_auto: Whether recognizers chose the QIDs.
        undone: What published columns tell of generalized QIDs, those that undo one first.
        read_backs: The thresholds over what can be read back: where that decides, and where a person
            accepted it. None of a table that was not transformed.
        outside: What is published outside the QIDs; None where nobody looked at it.
        accepted: What the policy accepts, in its order.
        noised: The QID combinations with columns that noise was drawn for, where that is known.
        new_table: What the table is where an anonymizer made it anew, so that none of its records is a
            person's; None for any other.
        isolated: Whom earlier releases and the table isolate together, a combination each, where a threshold
            over time is missed.
        next_steps: What a person does next; None where nobody says.
        read_beside: ``lexicon`` and ``codebook`` → SHA-256 of what the policy had recognizers read, hex.
    """

    source: str
    verdict: Verdict | None
    columns: tuple[ColumnReport, ...]
    summaries: tuple[ClassSummary, ...]
    records: int
    entities: int | None
    notes: tuple[str, ...]
    policy: str | None
    policy_digest: str | None
    preset: str | None
    versions: Mapping[str, str]
    engine: str
    seconds: float
    is_auto: bool = False
    undone: tuple[Undone, ...] = ()
    read_backs: tuple[ReadBack, ...] = ()
    outside: OutsideQids | None = None
    accepted: tuple[AcceptanceReport, ...] = ()
    noised: tuple[NoisedCombination, ...] = ()
    new_table: NewTableFacts | None = None
    isolated: tuple[IsolatedOverTime, ...] = ()
    next_steps: NextSteps | None = field(default=None, compare=False)
    read_beside: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __bool__(self) -> bool:
        """Return whether the policy holds; UserError without a policy, since nothing was judged."""
        if self.verdict is None:
            raise UserError(
                "The audit was given no policy, so nothing was judged and it is neither true nor false; give"
                " it a policy."
            )
        return self.is_passed

    @property
    def is_passed(self) -> bool:
        """Whether a policy was given and holds."""
        return self.verdict is not None and self.verdict.is_passed

    @property
    def exit_code(self) -> ExitCode:
        """What a command line returns: 0 without a policy, else the verdict's code."""
        return ExitCode.PASSED if self.verdict is None else self.verdict.exit_code

    @property
    def sure_kinds(self) -> dict[str, ColumnKind]:
        """Column → what its values are, where a person states it or recognizers are sure."""
        return {c.facts.name: c.kind.kind for c in self.columns if c.kind is not None and c.kind.is_sure}

    @property
    def person(self) -> Literal["records", "entities"]:
        """What a person is called here: ``entities`` or ``records``."""
        return "records" if self.entities is None else "entities"
