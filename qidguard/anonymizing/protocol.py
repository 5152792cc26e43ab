"""What an anonymizer is, what it is given and what it gives back."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from qidguard.anonymizing.earlier_persons import EarlierPersons
from qidguard.anonymizing.new_table import NewTable
from qidguard.anonymizing.solutions import Solutions
from qidguard.core.column import ColumnValues, Recoded
from qidguard.core.errors import NotMeasurable
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy
from qidguard.core.kind import ColumnKind
from qidguard.core.metric import Metric
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
