"""What recognizers are given and give back: tasks, proposals of roles and of kinds, and scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from qidguard.core.annotation import field_misfits
from qidguard.core.column import ColumnFacts
from qidguard.core.content_tests import ContentTest
from qidguard.core.kind import SURE_FROM, ColumnKind, KindAssignment, Sensitivity
from qidguard.core.parameter import ParameterValue
from qidguard.core.progress import SILENT, Progress
from qidguard.core.role import DecidedBy, Role, RoleAssignment

if TYPE_CHECKING:
    from qidguard.core.view import TableView


@dataclass(frozen=True, kw_only=True)
class DiscoveryTask:
    """A search for quasi-identifiers, as a policy or a person asks for it.

    Args:
        strategy: The search strategy's name; None lets the number of candidates decide.
        objective: An objective's name, or metrics with their weights.
        parameters: The strategy's own parameters, by name.
        seed: The seed of what is drawn at random, ≥ 0.
        budget_seconds: Seconds after which the search stops; None lets it end by itself.
        largest: The largest number of columns a set may have; None allows all.
        target: The column beside which metrics of a target are measured.
        treatment: The column beside which metrics of a treatment are measured.
        sensitive: The columns beside which metrics of a sensitive attribute are measured.
        prefer_known: Whether sets of columns that outsiders can plausibly know are preferred; None does not,
            for a verdict shall not lose a quasi-identifier because nobody calls it one.
        progress: Hears of finished steps.
        host: The plugins to use; None takes the installed ones.
    """

    strategy: str | None = None
    objective: str | Mapping[str, float] = "recognition"
    parameters: Mapping[str, ParameterValue] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    budget_seconds: float | None = None
    largest: int | None = None
    target: str | None = None
    treatment: str | None = None
    sensitive: tuple[str, ...] = ()
    prefer_known: bool | None = None
    progress: Progress = SILENT
    host: Any = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"the seed must be a whole number of at least 0, not {self.seed!r}")
        if self.budget_seconds is not None and not self.budget_seconds > 0:
            raise ValueError(f"the budget must be above 0 seconds, not {self.budget_seconds!r}")
        if self.largest is not None and self.largest < 1:
            raise ValueError(f"a set has at least 1 column, so largest cannot be {self.largest!r}")


@dataclass(frozen=True, kw_only=True)
class RecognitionScore:
    """A figure of a found set of columns against a ground truth.

    Args:
        name: A plain identifier.
        title: The field's standard term.
        formula: How it comes out of true and false positives and negatives.
        source: Where the formula stands.
        compute: (found, truth, every column) → the score, a share 0..1, higher is better unless
            ``is_higher_better`` says otherwise.
        is_higher_better: Whether a perfect recognition has the score 1 (else 0).
    """

    name: str
    title: str
    formula: str
    source: str
    compute: Callable[[frozenset[str], frozenset[str], frozenset[str]], float]
    is_higher_better: bool = True

    def __post_init__(self) -> None:
        for name, words in field_misfits(self).items():
            raise TypeError(f"score {self.name!r}: {name} must be {words}")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One reason for a proposed role.

    Args:
        by: What it comes from: lexicon (the column's name), content (its values) or statistics.
        sentence: The reason in plain words, such as ``98 % of its values are IBANs``; no value of the table.
        test: The name of the test of content that it rests on, where it does.
    """

    by: DecidedBy
    sentence: str
    test: str | None = None

    def __post_init__(self) -> None:
        for name, words in field_misfits(self).items():
            raise TypeError(f"evidence: {name} must be {words}")
        if self.by in {DecidedBy.PERSON, DecidedBy.NOBODY}:
            raise ValueError(f"evidence comes from lexicon, content or statistics, not from {self.by.value}")
        if not self.sentence.strip():
            raise ValueError("evidence must have a sentence")


@dataclass(frozen=True, kw_only=True)
class RoleProposal:
    """A proposed role. A column may get several: rivals are kept, and it may be a QID and sensitive at once.

    Args:
        assignment: The column, the role, who decided (lexicon, content or statistics) and why.
        confidence: How sure the recognizer is, 0..1. From ``PROPOSED_FROM`` on the role is proposed, below
            it a person is asked; the surest proposal for a column wins.
        evidence: The reasons, the strongest first; empty where the assignment's reason says all.
        sensitivity: Of a sensitive column, by which law or custom it is so; None where that is not known.

    Example:
        >>> why = Evidence(by=DecidedBy.CONTENT, sentence="98 % of its values are IBANs", test="iban")
        >>> found = RoleProposal.of("konto", Role.DIRECT_IDENTIFIER, 0.9, why)
        >>> found.assignment.reason, found.is_sure
        ('98 % of its values are IBANs', True)
    """

    assignment: RoleAssignment
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    sensitivity: Sensitivity | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.assignment, RoleAssignment):
            raise TypeError("a role proposal's assignment must be RoleAssignment")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence must lie in 0..1, not {self.confidence}")
        for name, words in field_misfits(self).items():
            raise TypeError(f"a role proposal's {name} must be {words}")

    @classmethod
    def of(
        cls,
        column: str,
        role: Role,
        confidence: float,
        *evidence: Evidence,
        sensitivity: Sensitivity | None = None,
    ) -> "RoleProposal":
        """Return a proposal that rests on evidence, of which the first says who decided and why."""
        if not evidence:
            raise ValueError(f"a proposal for {column!r} must have evidence")
        first = evidence[0]
        return cls(
            assignment=RoleAssignment(
                column=column, role=role, decided_by=first.by, reason="; ".join(e.sentence for e in evidence)
            ),
            confidence=confidence,
            evidence=evidence,
            sensitivity=sensitivity,
        )

    @property
    def is_sure(self) -> bool:
        """Whether the role is proposed; if not, it is a question to a person."""
        return self.confidence >= PROPOSED_FROM


PROPOSED_FROM = SURE_FROM
"""The confidence from which a role is proposed; below it a person is asked."""


@dataclass(frozen=True, kw_only=True)
class KindProposal:
    """A proposed kind of a column; of several for one column the surest counts.

    Args:
        column: The column.
        kind: What its values are.
        confidence: How sure the recognizer is, 0..1. From ``PROPOSED_FROM`` on the kind is proposed, below it
            a person is asked.
        evidence: The reasons, the strongest first; at least one.

    Example:
        >>> why = Evidence(by=DecidedBy.CONTENT, sentence="its values are years")
        >>> KindProposal(
        ...     column="born", kind=ColumnKind.PERIOD, confidence=0.9, evidence=(why,)
        ... ).assignment.reason
        'its values are years'
    """

    column: str
    kind: ColumnKind
    confidence: float
    evidence: tuple[Evidence, ...]

    def __post_init__(self) -> None:
        for name, words in field_misfits(self).items():
            raise TypeError(f"a kind proposal's {name} must be {words}")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence must lie in 0..1, not {self.confidence}")
        if not self.evidence:
            raise ValueError(f"a kind proposed for {self.column!r} must have evidence")

    @property
    def assignment(self) -> KindAssignment:
        """The kind as a report keeps it."""
        return KindAssignment(
            kind=self.kind,
            decided_by=self.evidence[0].by,
            reason="; ".join(e.sentence for e in self.evidence),
            confidence=self.confidence,
        )


class Recognizer(Protocol):
    """Proposes roles; says nothing about a column that it does not know.

    A recognizer may also test values, see ``ContentRecognizer``, or search the table, see
    ``SearchingRecognizer``.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def propose(self, columns: Sequence[ColumnFacts]) -> Sequence[RoleProposal]:
        """Return proposals for the columns it knows."""


class ContentRecognizer(Recognizer, Protocol):
    """A recognizer that asks something of the values of columns, without getting them.

    The host makes the tests of all recognizers on the distinct values of each column and says in
    ``ColumnFacts.looks`` what share of them passes; every recognizer sees what every test found. Of a column
    with more values, the 500 most frequent ones and 2,000 drawn by their hash are looked at, the same on
    every run; a test that hardly any of the first 100 passes is not made of more.
    """

    @property
    def tests(self) -> tuple[ContentTest, ...]:
        """The tests, no two of one name."""


class KindRecognizer(Recognizer, Protocol):
    """A recognizer that also says what the values of columns are, whatever roles the columns have.

    What a person states in a policy's ``kinds`` wins over it.
    """

    def propose_kinds(self, columns: Sequence[ColumnFacts]) -> Sequence[KindProposal]:
        """Return proposals for the columns it knows; none of an empty column."""


class ExtendableRecognizer(Recognizer, Protocol):
    """A recognizer of names that takes the words of a policy's ``lexicon``."""

    def extended_with(self, texts: Mapping[str, str]) -> Recognizer:
        """Return a recognizer of the same name that knows more words; this one stays as it is.

        ``texts`` are TOML, by the name of the file that they come from; ``policy`` names words that stand in
        the policy. ValueError, with a sentence for its author, where they say what no lexicon has.
        """


class SearchingRecognizer(Recognizer, Protocol):
    """A recognizer that also searches the table for quasi-identifiers.

    It is asked only where a policy has a ``discovery`` section beside ``quasi_identifiers: auto``, because a
    search takes time. What it proposes is added to what names say; nothing that they say is taken away.

    One that has ``strategies``, a tuple of names, is asked where the policy names one of them, and nobody
    else is asked then; where the policy names another strategy, or none, it is not asked.
    """

    def propose_from(
        self, table: "TableView", columns: Sequence[ColumnFacts], discovery: "DiscoveryTask"
    ) -> Sequence[RoleProposal]:
        """Return a proposal, quasi-identifier by statistics, for each of ``columns`` that it found to be one.

        ``columns`` are those that may be quasi-identifiers: no direct identifier, nothing that a person
        decided on, nothing constant. NotMeasurable, with a sentence why, where there is no answer; a search
        that its budget ended has none, for the answer would depend on the clock. Either blocks.
        """
