"""The receipt: what an anonymizer did, counted by the host."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.anonymizing.attack import AttackResult
from qidguard.anonymizing.protocol import Guarantee, PolicyLimit
from qidguard.anonymizing.reproduced import Reproduced
from qidguard.core.hierarchy import Hierarchy
from qidguard.core.new_table import NewTableFacts
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.verdict import Bound
from qidguard.core.versions import Treatment

if TYPE_CHECKING:
    from qidguard.anonymizing.choosing import WeighedSolutions
    from qidguard.anonymizing.records import SnapshotRecords


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What an anonymizer did, in counts; it holds no value of the table.

    Args:
        anonymizer: Its name.
        owner: The plugin that offers it, with its version.
        arguments: What the policy set, and the defaults.
        seed: The seed, kept in the internal record only; None for what draws noise.
        records_before: Records of the source.
        records_after: Records that are left.
        suppressed_by: Combination → records suppressed on its behalf.
        cells_changed: Column → kept records whose cell is not the source's, counted by the host.
        guarantees: What the anonymizer claims; the audit of the result proves or refutes it.
        notes: Sentences of the anonymizer.
        seconds: Wall time that the anonymizer took.
        peak_bytes: The largest memory that the process held meanwhile beyond what it held before, as the
            operating system tells it; None where that does not tell.
        attacks: What attacks found in a rehearsal.
        title: What it is called among people.
        hierarchies_sha256: Column → the digest of the hierarchy's file as it was read for this run, or of the
            data of its ready hierarchy, hex.
        choice: All solutions with their figures, where one of several was chosen by them.
        is_always: Whether it is applied where the policy holds already, too.
        privacy: What it guarantees of differential privacy, which is charged; None where it draws no noise.
        is_rehearsal: Whether its noise was drawn by the seed: nothing was charged and may be published.
        new_table: What was made in the place of the source's records; None where they were transformed.
        reproduced: How many new records equal one of the source; empty for a table of counts, too.
        columns_made: The columns of a new table; empty where records were transformed.
        treatments: Column → what became of its cells, counted by the host as well; of those that changed.
        columns_dropped: The columns that it has not published at all.
        limits_taken: Parameter → the policy's limits that were taken in its place, such as ``11`` or ``2 of
            illness``; empty text where the policy has none.
        warnings: Sentences on columns that tell nothing any more.
    """

    anonymizer: str
    owner: str
    arguments: Arguments
    seed: int | None
    records_before: int
    records_after: int
    suppressed_by: dict[str, int]
    cells_changed: Mapping[str, int] = field(default_factory=dict)
    guarantees: tuple[Guarantee, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    peak_bytes: int | None = None
    attacks: tuple[AttackResult, ...] = ()
    title: str = ""
    hierarchies_sha256: Mapping[str, str] = field(default_factory=dict)
    is_always: bool = False
    choice: "WeighedSolutions | None" = None
    privacy: PrivacyGuarantee | None = None
    is_rehearsal: bool = False
    new_table: NewTableFacts | None = None
    reproduced: tuple[Reproduced, ...] = ()
    columns_made: tuple[str, ...] = ()
    treatments: Mapping[str, Treatment] = field(default_factory=dict)
    columns_dropped: tuple[str, ...] = ()
    limits_taken: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def records_suppressed(self) -> int | None:
        """Records of the source that are not published; None for a new table, which holds none."""
        return None if self.new_table is not None else self.records_before - self.records_after

    @property
    def total_cells_changed(self) -> int | None:
        """Cells of kept records that are not the source's; None for a new table, which keeps none."""
        return None if self.new_table is not None else sum(self.cells_changed.values())

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns of which at least one cell is not the source's."""
        return tuple(name for name, cells in self.cells_changed.items() if cells)


def limits_taken(
    parameters: Sequence[Parameter], arguments: Arguments, targets: Sequence[PolicyLimit]
) -> dict[str, str]:
    """Return for each parameter that stands at its default which of the policy's limits it takes.

    Of several limits on one metric and attribute the strictest is told; without any the text is empty.

    Example:
        >>> k = Parameter(name="k", type=int, default=0, policy_limits=("k_anonymity",))
        >>> limits_taken([k], {"k": 0}, []), limits_taken([k], {"k": 5}, [])
        ({'k': ''}, {})
    """
    return {
        one.name: ", ".join(_limits(one.policy_limits, targets))
        for one in parameters
        if one.policy_limits and arguments[one.name] == one.default
    }


def _limits(metrics: Sequence[str], targets: Sequence[PolicyLimit]) -> Iterator[str]:
    for metric in metrics:
        values: dict[str | None, list[float]] = {}
        bound = Bound.AT_LEAST
        for target in targets:
            if target.metric.name == metric:
                bound = target.limit.bound
                values.setdefault(target.sensitive, []).append(float(target.limit.value))
        for sensitive, of in values.items():
            strictest = max(of) if bound is Bound.AT_LEAST else min(of)
            yield f"{strictest:g}" + ("" if sensitive is None else f" of {sensitive}")


MOST_SUPPRESSED = 0.5
"""Share of the records from which on a column of suppression marks is warned of."""


def telling_nothing(
    before: "SnapshotRecords", after: "SnapshotRecords", changed: Sequence[str], mark: str
) -> tuple[str, ...]:
    """Return a warning for each changed column that has one value left, or the mark in most records."""
    warnings = []
    for name in changed:
        column = after.column(name)
        values = len(set(column.codes.tolist()))
        if values == 1 and before.column(name).distinct > 1:
            warnings.append(f"{name!r} has the same value in every record, so it tells nothing any more")
            continue
        marks = [code for code, text in enumerate(column.texts) if text == mark]
        suppressed = sum(int((column.codes == code).sum()) for code in marks)
        if suppressed > MOST_SUPPRESSED * len(column.codes):
            share = suppressed / len(column.codes)
            warnings.append(
                f"{name!r} is suppressed in {suppressed:,} of {len(column.codes):,} records ({share:.1%})"
            )
    return tuple(warnings)


def unused_hierarchies(
    anonymizer: str, after: "SnapshotRecords", changed: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> tuple[str, ...]:
    """Return a note on columns with a hierarchy of which nothing is published although they were changed."""
    unused = []
    for name in changed:
        if name in hierarchies:
            labels = {label for level in hierarchies[name].labels[1:-1] for label in level} - {None}
            column = after.column(name)
            if not labels & {column.texts[code] for code in set(column.codes.tolist())}:
                unused.append(name)
    if not unused:
        return ()
    listed = " and ".join([", ".join(unused[:-1]), unused[-1]] if unused[1:] else unused)
    word = "hierarchies" if unused[1:] else "hierarchy"
    return (f"{word} of {listed}: not used by {anonymizer} in what it publishes",)
