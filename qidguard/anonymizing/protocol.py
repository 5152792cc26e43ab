"""What an anonymizer is, what it is given and what it gives back."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, Self

from qidguard.core.column import ColumnValues, PublishedValue, Recoded, ValueType, published_number
from qidguard.core.errors import NotMeasurable
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy
from qidguard.core.kind import ColumnKind
from qidguard.core.metric import Direction, Metric
from qidguard.core.new_table import NewTableKind
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.progress import SILENT, Progress
from qidguard.core.spelling import Normalized
from qidguard.core.verdict import Limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymizing.rehearsed_table import RehearsedTable
    from qidguard.plot.plot import Plot


class Records(Protocol):
    """The records of a table in one fixed order."""

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in the source's order."""

    @property
    def records(self) -> int:
        """Number of records, ≥ 1."""

    def codes(self, columns: Sequence[str]) -> "NDArray[np.int32]":
        """Return codes of the columns, shape (records, columns): equal values have equal codes, NULL is 0.

        Values that the policy normalizes to one are equal here, as they are where metrics are measured.
        """

    def column(self, name: str) -> ColumnValues:
        """Return one column with its values; DataError when there is none of this name."""


NEVER_SHOWN = -1
"""The trajectory of a person whom no earlier release showed."""
UNKNOWN = -1
"""The number of a wave, or of releases, that nobody knows."""


@dataclass(frozen=True, kw_only=True)
class EarlierPersons:
    """The earlier releases of a series, as far as they tell of the persons of a table.

    A trajectory is a joint class over all earlier releases: who shares it stood in the same class of each,
    where absence is a class. A series isolates nobody if every trajectory, with the release to come, is
    shared by at least k persons. A person with several records has the same numbers on each of them.

    Args:
        releases: Number of earlier releases, ≥ 0.
        trajectory: Shape (records,), the trajectory of each record's person, 0..trajectories−1;
            ``NEVER_SHOWN`` where no release showed the person.
        is_in_last: Shape (records,), whether the last release showed the person.
        gone: Shape (records,), the number of releases without the person among the present, this one
            counted: 0 for who is still here, 1 for who left since the last release.
        waited: Shape (records,), the number of earlier releases that a person who was never shown has waited
            for; 0 for all others; ``UNKNOWN`` where nobody kept it.
        exit_wave: Shape (records,), the number of releases until the person is known to leave, this one not
            counted; ``UNKNOWN`` where the exit is not known.
        missing: Shape (persons,), the trajectory of each person who was shown and has no record in the table.
        is_missing_in_last: Shape (persons,), whether the last release showed that person.

    Raises:
        ValueError: When the shapes do not belong together.

    A first release has no earlier persons: every record is ``NEVER_SHOWN``, as ``of_first`` says.

    Example:
        >>> first = EarlierPersons.of_first(3)
        >>> first.releases, first.trajectory.tolist(), len(first.missing)
        (0, [-1, -1, -1], 0)
    """

    releases: int
    trajectory: "NDArray[np.int64]"
    is_in_last: "NDArray[np.bool_]"
    gone: "NDArray[np.int64]"
    waited: "NDArray[np.int64]"
    exit_wave: "NDArray[np.int64]"
    missing: "NDArray[np.int64]"
    is_missing_in_last: "NDArray[np.bool_]"

    def __post_init__(self) -> None:
        records = {len(a) for a in (self.trajectory, self.is_in_last, self.gone, self.waited, self.exit_wave)}
        if len(records) != 1 or len(self.missing) != len(self.is_missing_in_last):
            raise ValueError("the arrays of earlier persons are not of the same records")

    def of_records(self, kept: "NDArray[np.bool_]") -> Self:
        """Return what is known of some of the records, as if the table had no others.

        Args:
            kept: Shape (records,), whether a record is among them.

        Returns:
            The same persons are missing.

        Raises:
            IndexError: When it is not one truth value a record.

        Example:
            >>> import numpy as np
            >>> len(EarlierPersons.of_first(3).of_records(np.array([True, False, True])).gone)
            2
        """
        return replace(
            self,
            trajectory=self.trajectory[kept],
            is_in_last=self.is_in_last[kept],
            gone=self.gone[kept],
            waited=self.waited[kept],
            exit_wave=self.exit_wave[kept],
        )

    @classmethod
    def of_first(cls, records: int) -> Self:
        """Return what is known before a first release of so many records.

        Args:
            records: Number of records, ≥ 0.

        Returns:
            Nobody was shown, nobody left, nobody waited and no exit is known.

        Example:
            >>> EarlierPersons.of_first(2).waited.tolist()
            [0, 0]
        """
        import numpy as np

        zeros = np.zeros(records, dtype=np.int64)
        return cls(
            releases=0,
            trajectory=np.full(records, NEVER_SHOWN),
            is_in_last=np.zeros(records, dtype=np.bool_),
            gone=zeros,
            waited=zeros,
            exit_wave=np.full(records, UNKNOWN),
            missing=np.zeros(0, dtype=np.int64),
            is_missing_in_last=np.zeros(0, dtype=np.bool_),
        )


@dataclass(frozen=True, kw_only=True)
class PolicyLimit:
    """One limit of the policy, which the published table has to keep.

    Args:
        metric: The metric.
        arguments: Its checked arguments.
        limit: The limit, at least or at most.
        qids: The QID combination it is measured over.
        sensitive: The attribute it is measured beside, or None.
        knows_any: The attacker knows any this many of the QIDs; None means all of them.
    """

    metric: Metric
    arguments: Arguments
    limit: Limit
    qids: tuple[str, ...]
    sensitive: str | None = None
    knows_any: int | None = None


@dataclass(frozen=True, kw_only=True)
class AnonymizationTask:
    """What an anonymizer is asked to reach, and what it may know of the table's columns.

    Args:
        combinations: The QID combinations; the attacker may know all columns of any one of them. For an
            attacker who knows any m of the QIDs these are all sets of m.
        entity: The column whose distinct values are the persons; None where each record is one.
        sensitive: The sensitive attributes. No anonymizer changes them unless ``changes_sensitive`` says so.
        seed: Seeds whatever is random; the same seed gives the same result.
        direct_identifiers: Columns that are never published; the host leaves them out.
        target: The column that users of the data predict, or None.
        targets: The limits of the policy, those of all combinations.
        hierarchies: Column → hierarchy, for each column whose policy names one.
        suppression_mark: The text published for a suppressed cell.
        normalized: Columns of which some texts are one value; ``Records.codes`` follows it.
        kinds: Column → what its values are, where the policy states it or recognizers are sure; the columns
            of the records have it too.
        progress: Hears of finished steps.
        wants_several: Whether all solutions are wanted that are worth weighing against each other. An
            anonymizer that has one only may always return that.
        is_rehearsal: Whether this is only tried: nothing of it is published and nothing is charged. What
            draws noise draws it by ``seed`` then, with the same scale; else so that nobody can repeat it.
        earlier: What earlier releases of the series showed of the table's persons; None where nobody looked,
            which counts as a first release. A trial without a ledger knows only who left by the columns of a
            series.
        held: Columns that stand for records of other tables, which are published as they are: a release in
            which one was changed is blocked.
        sensitive_beside: Sensitive columns of other tables, as ``table.column``, which are published with
            the records of each person; the table itself has none of them.
    """

    combinations: tuple[tuple[str, ...], ...]
    entity: str | None
    sensitive: tuple[str, ...]
    seed: int
    direct_identifiers: tuple[str, ...] = ()
    target: str | None = None
    targets: tuple[PolicyLimit, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    suppression_mark: str = SUPPRESSED
    normalized: tuple[Normalized, ...] = ()
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    progress: Progress = field(default=SILENT, repr=False)
    wants_several: bool = False
    is_rehearsal: bool = False
    earlier: EarlierPersons | None = field(default=None, repr=False)
    held: tuple[str, ...] = ()
    sensitive_beside: tuple[str, ...] = ()

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Every column of any combination, once, in order."""
        return tuple(dict.fromkeys(name for columns in self.combinations for name in columns))


def changeable_columns(
    records: Records, task: AnonymizationTask, as_they_are: Collection[str] = ()
) -> tuple[ColumnValues, ...]:
    """Return the quasi-identifiers that may be changed: all but the entity, and what is to stay as it is.

    A QID that is sensitive, too, is one of them: shown by class it is like any other QID. It has a single
    value in a class then, so whoever keeps a limit on its values beside the other QIDs leaves it as it is.

    Args:
        records: The table.
        task: Names the quasi-identifiers and the entity.
        as_they_are: Columns that the caller will not change.

    Returns:
        The columns in the task's order, at least one; what is NULL or constant counts as any other.

    Raises:
        NotMeasurable: When there is none.
        DataError: When the table has no column of a name.

    Example:
        >>> from qidguard.anonymizing.example import held_example
        >>> task = AnonymizationTask(
        ...     combinations=(("age", "town"),), entity=None, sensitive=("town",), seed=0
        ... )
        >>> [column.name for column in changeable_columns(held_example(), task)]
        ['age', 'town']
        >>> [column.name for column in changeable_columns(held_example(), task, as_they_are={"town"})]
        ['age']
    """
    left_alone = {task.entity, *as_they_are}
    columns = tuple(records.column(name) for name in task.quasi_identifiers if name not in left_alone)
    if not columns:
        raise NotMeasurable(
            "there is no quasi-identifier that may be changed, since the entity stays as it is, and a"
            " sensitive one that a limit is on; declare one"
        )
    return columns


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """What an anonymizer claims of what it publishes. It counts for nothing until it was measured.

    Args:
        metric: The metric's name, such as ``k_anonymity``.
        limit: The limit that is claimed to hold.
        qids: The QIDs that it is claimed over.
        sensitive: The attribute it is measured beside, or None.
        parameters: The metric's own parameters where they are not the defaults.
    """

    metric: str
    limit: Limit
    qids: tuple[str, ...]
    sensitive: str | None = None
    parameters: Mapping[str, int | float | str | bool] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Anonymized:
    """What an anonymizer did.

    Args:
        kept: Shape (records,), False for each record that is suppressed.
        suppressed_by: Combination as text → records suppressed on its behalf (a record may count twice).
        columns: Column → what is published in its place; a column that is not named stays as it is.
        guarantees: What is claimed of the published table.
        notes: Sentences worth reading, without a value of the table, such as a transition matrix by name.
    """

    kept: "NDArray[np.bool_]"
    suppressed_by: Mapping[str, int] = field(default_factory=dict)
    columns: Mapping[str, Recoded] = field(default_factory=dict)
    guarantees: tuple[Guarantee, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NewTable:
    """A table in the place of the source: synthetic records, or a table of counts.

    None of its records is one of the source's, so nothing is said of what was kept or changed. The policy
    has to accept such a table (``remedy: output:``), and one without a guarantee of differential privacy by
    a word of its own.

    Args:
        kind: What its records are.
        columns: Column → its values, one code for each new record, the same number in all columns. The names
            are columns of the source; no direct identifier and no entity is among them. No value is
            ``Original``, since nothing is copied.
        counts: For a table of counts, the column with the numbers: a plain identifier that is no column of
            the source. Noise may make counts negative.
        guarantees: What is claimed of the published table.
        notes: Sentences worth reading, without a value of the source.
        plots: What is drawn of it.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import NewTable, NewTableKind, Recoded
        >>> sex = Recoded(codes=np.array([0, 1]), values=("f", "m"))
        >>> count = Recoded(codes=np.array([0, 1]), values=(412, 388))
        >>> columns = {"sex": sex, "n": count}
        >>> NewTable(kind=NewTableKind.COUNTS, columns=columns, counts="n").records
        2
    """

    kind: NewTableKind
    columns: Mapping[str, Recoded]
    counts: str | None = None
    guarantees: tuple[Guarantee, ...] = ()
    notes: tuple[str, ...] = ()
    plots: "tuple[Plot, ...]" = field(default=(), repr=False)

    @property
    def records(self) -> int:
        """Number of its records, ≥ 0."""
        return max((len(column.codes) for column in self.columns.values()), default=0)


def new_values(column: ColumnValues) -> tuple[PublishedValue, ...]:
    """Return for each code of a source's column the value that a new table may publish for it.

    Args:
        column: The column, whose domain is told by this: where that is not public, it has to be protected
            too.

    Returns:
        Numbers, dates and truth values where the column holds them, else texts, such as the mark of
        suppression; None for NULL, and for an infinite number or NaN, which no new table may publish.

    Raises:
        OverflowError: When a date lies outside the years 1 to 9999.

    Example:
        >>> from qidguard.anonymizing.example import held_example
        >>> new_values(held_example().column("town"))
        (None, 'A', 'B')
    """
    numbers = None if column.numbers is None else column.numbers.tolist()
    return tuple(
        text if text is None or numbers is None else _value(column.value_type, text, numbers[code])
        for code, text in enumerate(column.texts)
    )


_NOT_FINITE = {"nan", "inf", "infinity"}


def _value(kind: ValueType, text: str, number: float) -> PublishedValue:
    if kind is ValueType.NUMBER and text.lstrip("-") in _NOT_FINITE:
        return None
    if math.isnan(number) or kind is ValueType.TEXT:
        return text  # the mark of suppression has no number
    return bool(number) if kind is ValueType.BOOLEAN else published_number(number, kind)


@dataclass(frozen=True, kw_only=True)
class SolutionFigure:
    """A figure by which the solutions of an anonymizer are weighed.

    Args:
        name: A plain identifier, such as ``information_loss``. One that is also the name of a metric should
            mean what the metric means: the host then measures it and shows both.
        title: One phrase, such as "information loss".
        direction: Which way it gets better; ``Direction.NEITHER`` for what only tells solutions apart.

    Example:
        >>> lower = Direction.LOWER_IS_SAFER
        >>> SolutionFigure(name="information_loss", title="information loss", direction=lower).name
        'information_loss'
    """

    name: str
    title: str
    direction: Direction


@dataclass(frozen=True, kw_only=True)
class Solution:
    """One way in which a task may be met.

    Args:
        label: What tells it from the others, such as ``n_c=30, lambda=0.001``: settings, one line, no value
            of the table. No two solutions of one answer have the same.
        anonymized: What becomes of each record.
        figures: The name of each ``SolutionFigure`` of the answer → what the anonymizer says that it comes
            to, finite. They are claims: the host measures for itself.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import Anonymized
        >>> everyone = Anonymized(kept=np.ones(4, dtype=np.bool_))
        >>> Solution(label="nothing done", anonymized=everyone, figures={"information_loss": 0.0}).label
        'nothing done'
    """

    label: str
    anonymized: Anonymized
    figures: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Solutions:
    """Several solutions of one task; what ``anonymize`` may return where it has more than one.

    The host measures each in memory, chooses as the policy says, and publishes and audits the chosen one
    only. Where nobody says how to choose, ``chosen`` is taken.

    Args:
        solutions: At least one.
        chosen: The position of the one that the anonymizer itself would take, 0..solutions − 1.
        figures: What the solutions are weighed by; every solution tells each of them and no other.
        plots: What the anonymizer draws of them.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import Anonymized
        >>> loss = SolutionFigure(
        ...     name="information_loss", title="information loss", direction=Direction.LOWER_IS_SAFER
        ... )
        >>> everyone = Anonymized(kept=np.ones(4, dtype=np.bool_))
        >>> only = Solution(label="nothing done", anonymized=everyone, figures={"information_loss": 0.0})
        >>> Solutions(solutions=(only,), chosen=0, figures=(loss,)).solutions[0].label
        'nothing done'
    """

    solutions: tuple[Solution, ...]
    chosen: int
    figures: tuple[SolutionFigure, ...]
    plots: "tuple[Plot, ...]" = ()


class Anonymizer(Protocol):
    """Transforms a table. Its own claims count for nothing: the host audits the result from scratch.

    What it may have beside this is in ``AnonymizerOptions``.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a policy may set."""

    def anonymize(
        self, records: Records, arguments: Arguments, task: AnonymizationTask
    ) -> Anonymized | NewTable | Solutions:
        """Return what becomes of each record, or a new table; NotMeasurable where it cannot be done.

        Several solutions are returned best where ``task.wants_several`` says so; else one costs less.
        """


class AnonymizerOptions(Protocol):
    """What an anonymizer may also have."""

    @property
    def changes_sensitive(self) -> bool:
        """Whether it changes sensitive attributes; from any other such a change is an error of its plugin."""

    @property
    def is_first_choice(self) -> bool:
        """Whether it is tried where nobody names a method.

        Such a method takes its limits from the policy, needs no parameter that a person has to set, publishes
        what is true of every record, and has done 100,000 records within about half a minute.
        """

    @property
    def is_order_free(self) -> bool:
        """Whether the order of the records decides nothing, which the conformance kit then tests."""

    @property
    def needs_last_values(self) -> bool:
        """Whether it keeps a series releasable, and so has to see the last values of who left.

        It is applied to every release then, with ``AnonymizationTask.earlier``; leavers are records of the
        table with ``gone`` ≥ 1, from the policy's ``series.left_on`` or its state.
        """

    def draws_values(self, arguments: Arguments) -> bool:
        """Whether published values are drawn by the seed: who guesses it takes the draws away again."""

    def privacy_guarantee(
        self, records: Records, arguments: Arguments, task: AnonymizationTask
    ) -> PrivacyGuarantee:
        """Return what a run that draws noise guarantees; NotMeasurable with the reason where it cannot.

        Whatever draws noise has this method. The host charges the budget what it comes to before it calls
        ``anonymize``, with the same records, arguments and task.
        """

    def plots(self, done: "RehearsedTable", arguments: Arguments) -> "Sequence[Plot]":
        """Return what it draws of a table that it made; nothing where there is nothing to draw.

        It is asked where somebody wants plots, and after ``anonymize``. ``done`` has the table as it was
        and as it is published, and the task. What is drawn of several solutions together stands in
        ``Solutions.plots``. A plot holds counts, figures and names of columns, never a value of the table.
        """


@dataclass(frozen=True, kw_only=True)
class ChosenAnonymizer:
    """An anonymizer with its arguments, ready to run.

    Args:
        anonymizer: The anonymizer.
        arguments: Its checked arguments.
        owner: The plugin that offers it, for errors.
    """

    anonymizer: Anonymizer
    arguments: Arguments
    owner: str

    @property
    def name(self) -> str:
        """The anonymizer's name."""
        return self.anonymizer.name

    @property
    def whose(self) -> str:
        """Whose a fault is, as sentences on it begin."""
        return f"{self.owner}: anonymizer {self.name!r}"

    @property
    def draws_noise(self) -> bool:
        """Whether a run draws noise that spends of the privacy budget."""
        return hasattr(self.anonymizer, "privacy_guarantee")
