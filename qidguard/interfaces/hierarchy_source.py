"""Where the hierarchies that a command shows come from: a file, a policy, or a policy and a table."""

from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.column import ColumnValues
from qidguard.core.errors import UserError
from qidguard.core.versions import ReadColumns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.kind import KindAssignment
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
        kind: What the column's values are, and why; None where nobody knows, or there is no table.
    """

    hierarchy: "Hierarchy"
    counts: "NDArray[np.int64] | None" = field(default=None, repr=False)
    drawn: "Hierarchy | None" = None
    kind: "KindAssignment | None" = None


def of_file(path: str, column: str | None, reading: "Reading") -> Shown:
    """Return what a hierarchy file or a taxonomy says by itself."""
    from qidguard.anonymizing.hierarchy.file import read_rows
    from qidguard.anonymizing.hierarchy.level_sizes import own_hierarchy
    from qidguard.anonymizing.hierarchy.taxonomy import read_taxonomy

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
    from qidguard.anonymizing.hierarchy.level_sizes import own_hierarchy
    from qidguard.anonymizing.hierarchy.policy import read_declared
    from qidguard.anonymizing.hierarchy.ready import listed_hierarchy

    if not policy.hierarchies and column is None:
        raise UserError("the policy declares no hierarchies; add the section, or name a column and a table")
    wanted = (column,) if column is not None else tuple(policy.hierarchies)
    own = {name: own_hierarchy(read, name) for name, read in read_declared(policy).items()}
    ready = {name: each.ready for name, each in policy.hierarchies.items() if each.ready is not None}
    own |= {name: replace(listed_hierarchy(system), column=name) for name, system in ready.items()}
    if data is None:
        found = [Shown(hierarchy=own[name], drawn=own[name]) for name in wanted if name in own]
        if not found:
            raise UserError(
                f"the hierarchy of column {wanted[0]!r} is made from the table, so it needs one; name DATA"
            )
        return found
    kinds = column_kinds(data, wanted, reading, policy)
    return [
        Shown(
            hierarchy=bound,
            counts=_counts(values),
            drawn=bound if has_values else own.get(bound.column),
            kind=kinds.get(bound.column),
        )
        for values, bound in _bound(policy, data, wanted, reading, kinds)
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


def column_kinds(
    data: str, names: "Sequence[str]", reading: "Reading", policy: "Policy | None" = None
) -> "dict[str, KindAssignment]":
    """Return what the values of columns are, as the policy states it or recognizers find it in an audit."""
    from qidguard.auditing.lexicon_and_codebook import NOTHING, read_beside
    from qidguard.auditing.recognizing import kind_of, recognize
    from qidguard.engines.base import Needs
    from qidguard.host import load_host

    host = load_host()
    engine: Any = host.engine(policy.engine if policy else DEFAULT_ENGINE)
    beside = NOTHING if policy is None else read_beside(policy, host)
    read, settings = reading.options(policy), reading.settings(policy)
    with closing(engine.open(data, read, Needs(columns=()), settings)) as table:
        known = recognize(table, host, beside)
    found = {name: kind_of(name, policy, known.kinds.get(name)) for name in names}
    return {name: kind for name, kind in found.items() if kind is not None}


def of_kind(values: ColumnValues, kind: "KindAssignment | None") -> ColumnValues:
    """Return a column that knows what its values are, where somebody is sure."""
    return values if kind is None or not kind.is_sure else replace(values, kind=kind.kind)


def _bound(
    policy: "Policy",
    data: str,
    wanted: "Sequence[str]",
    reading: "Reading",
    kinds: "Mapping[str, KindAssignment]",
) -> "Sequence[tuple[ColumnValues, Hierarchy]]":
    from qidguard.anonymizing.hierarchy.automatic import automatic_hierarchy
    from qidguard.anonymizing.hierarchy.policy import bind_hierarchies

    columns = {
        name: of_kind(values, kinds.get(name))
        for name, values in read_columns(data, wanted, reading, policy).items()
    }
    declared = {name: settings for name, settings in policy.hierarchies.items() if name in columns}
    bound = bind_hierarchies(policy, ReadColumns(columns=columns), tuple(declared))
    return [
        (columns[name], bound[name] if name in bound else automatic_hierarchy(columns[name]))
        for name in wanted
    ]


def _counts(values: ColumnValues) -> "NDArray[np.int64]":
    import numpy as np

    return np.bincount(values.codes, minlength=len(values.texts))
