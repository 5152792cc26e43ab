"""Where the hierarchies that a command shows come from: a file, a policy, or a policy and a table."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.column import ColumnValues
from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.hierarchy import Hierarchy
    from qidguard.interfaces.reading import Reading
    from qidguard.policy import Policy

DEFAULT_ENGINE = "duckdb"


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One hierarchy that is shown.

    Args:
        hierarchy: The hierarchy, bound to the table where there is one.
        counts: Records of each code; None without a table.
        drawn: The hierarchy whose labels may be read; None where they are made of the table's values.
    """

    hierarchy: "Hierarchy"
    counts: "NDArray[np.int64] | None" = field(default=None, repr=False)
    drawn: "Hierarchy | None" = None


def of_file(path: str, column: str | None, reading: "Reading") -> Shown:
    """Return what a hierarchy file or a taxonomy says by itself."""
    from qidguard.anonymizing.hierarchy import own_hierarchy, read_rows, read_taxonomy

    name = column or Path(path).stem
    if Path(path).suffix.lower() in {".yaml", ".yml", ".json"}:
        found = own_hierarchy(read_taxonomy(path), name)
    else:
        options = reading.options()
        found = own_hierarchy(read_rows(path, delimiter=options.delimiter, encoding=options.encoding), name)
    return Shown(hierarchy=found, drawn=found)


def of_policy(
    policy: "Policy", data: str | None, column: str | None, reading: "Reading", *, has_values: bool
) -> "Sequence[Shown]":
    """Return the hierarchies that a policy declares."""
    from qidguard.anonymizing.hierarchy import own_hierarchy, read_declared

    if not policy.hierarchies and column is None:
        raise UserError("the policy declares no hierarchies; add the section, or name a column and a table")
    wanted = (column,) if column is not None else tuple(policy.hierarchies)
    own = {name: own_hierarchy(read, name) for name, read in read_declared(policy).items()}
    if data is None:
        found = [Shown(hierarchy=own[name], drawn=own[name]) for name in wanted if name in own]
        if not found:
            raise UserError(
                f"the hierarchy of column {wanted[0]!r} is made from the table, so it needs one; name DATA"
            )
        return found
    return [
        Shown(
            hierarchy=bound,
            counts=_counts(values),
            drawn=bound if has_values else own.get(bound.column),
        )
        for values, bound in _bound(policy, data, wanted, reading)
    ]


def read_columns(
    data: str, names: "Sequence[str]", reading: "Reading", policy: "Policy | None" = None
) -> dict[str, ColumnValues]:
    """Return columns of a table with their values."""
    from qidguard.anonymizing.records import SnapshotRecords
    from qidguard.host import load_host

    engine: Any = load_host().engine(policy.engine if policy else DEFAULT_ENGINE)
    mark = policy.source.suppression_mark if policy else None
    with engine.snapshot(data, reading.options(policy), reading.settings(policy)) as snapshot:
        records = SnapshotRecords(snapshot, mark)
        return {name: records.column(name) for name in names}


@dataclass(frozen=True, kw_only=True)
class _Read:
    """Columns that were read, as a table."""

    columns: dict[str, ColumnValues]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def records(self) -> int:
        return next(iter(self.columns.values())).records

    def column(self, name: str) -> ColumnValues:
        return self.columns[name]


def _bound(
    policy: "Policy", data: str, wanted: "Sequence[str]", reading: "Reading"
) -> "Sequence[tuple[ColumnValues, Hierarchy]]":
    from qidguard.anonymizing.hierarchy import automatic_hierarchy, bind_hierarchies

    columns = read_columns(data, wanted, reading, policy)
    declared = {name: settings for name, settings in policy.hierarchies.items() if name in columns}
    bound = bind_hierarchies(policy, _Read(columns=columns), tuple(declared))
    return [
        (columns[name], bound[name] if name in bound else automatic_hierarchy(columns[name]))
        for name in wanted
    ]


def _counts(values: ColumnValues) -> "NDArray[np.int64]":
    import numpy as np

    return np.bincount(values.codes, minlength=len(values.texts))
