"""A table on which methods are tried in memory: roles, bounds and hierarchies, and people left out of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from qidguard.sdk import (
    AnonymizationTask,
    EngineSettings,
    Hierarchy,
    MemoryRecords,
    ReadOptions,
    UserError,
    automatic_hierarchy,
    k_anonymity_task,
    load_hierarchy,
    records_of,
    taxonomy_hierarchy,
)
from qidguard_hybrid_dp.noise.column import NoisedColumn, noised_column

Bounds = Mapping[str, tuple[Fraction, Fraction]]


@dataclass(frozen=True, kw_only=True)
class PrivacyCase:
    """A table with the roles of its columns, on which methods are tried.

    Args:
        records: The records that are published; they stay as they are.
        everybody: The same records and, after them, the people who are left out of the release.
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes; the first is the one that attackers want to know.
        target: What models predict; None where nobody named one.
        bounds: Numeric quasi-identifier → what it may hold, declared.
        hierarchies: Categorical quasi-identifier → its hierarchy.
        friendly: Pattern-friendly quasi-identifiers where they are declared; None leaves them to the forest.
        seed: Seeds methods, draws and splits, ≥ 0.
    """

    records: MemoryRecords = field(repr=False)
    everybody: MemoryRecords = field(repr=False)
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None = None
    bounds: Bounds
    hierarchies: Mapping[str, Hierarchy] = field(repr=False)
    friendly: tuple[str, ...] | None = None
    seed: int = 0

    @classmethod
    def of(  # noqa: PLR0913 - each argument is one decision about what is tried
        cls,
        source: Any,
        qids: Sequence[str],
        sensitive: Sequence[str],
        *,
        bounds: Mapping[str, tuple[float | Fraction, float | Fraction]],
        target: str | None = None,
        friendly: Sequence[str] | None = None,
        hierarchies: str | Path | None = None,
        trees: Mapping[str, Mapping[str, object]] | None = None,
        outsiders: int = 0,
        sample: int | None = None,
        seed: int = 0,
        read: ReadOptions | None = None,
        settings: EngineSettings | None = None,
    ) -> "PrivacyCase":
        """Return the case of a table: a path, a frame, or whatever else an engine opens.

        Args:
            source: The table; it is never changed.
            qids: The quasi-identifiers, at least one; those of numbers need bounds.
            sensitive: The sensitive attributes, at least one, none of them a quasi-identifier.
            bounds: Numeric quasi-identifier → lower and upper bound, declared.
            target: What models predict.
            friendly: Pattern-friendly quasi-identifiers where they are declared.
            hierarchies: A folder with NAME.csv for some of the categorical columns; the others get an
                automatic hierarchy.
            trees: Column → taxonomy, which wins over a file.
            outsiders: How many people are drawn and left out of the release, ≥ 0.
            sample: How many records are drawn in all; None takes every one.
            seed: Seeds draws and methods.
            read: How the source is read.
            settings: Memory limit and threads.

        Raises:
            DataError: When the source cannot be read without guessing, has no records, or no such column.
            UserError: When a role is missing or given twice, or bounds are missing or name another column.
        """
        wanted, beside = tuple(dict.fromkeys(qids)), tuple(dict.fromkeys(sensitive))
        if not wanted or not beside:
            raise UserError("an evaluation needs quasi-identifiers and a sensitive attribute; name them")
        for name in (*wanted, *beside):
            if [*wanted, *beside].count(name) > 1 or (name == target and name in wanted):
                raise UserError(f"column {name!r} has two roles here; give it one")
        roles = dict.fromkeys((*wanted, *beside, *(() if target is None else (target,))))
        held = records_of(source, tuple(roles), read=read, settings=settings)
        for name in roles:
            held.column(name)  # says which columns are missing
        size = held.records if sample is None else min(sample, held.records)
        if not 0 <= outsiders < size:
            raise UserError(
                f"of {size:,} records {outsiders:,} cannot be left out of the release; ask for fewer"
            )
        everybody = held.sample(size, seed)
        records = held.sample(size - outsiders, seed)
        exact = {name: (Fraction(low), Fraction(high)) for name, (low, high) in bounds.items()}
        _check_bounds(records, wanted, exact)
        return cls(
            records=records,
            everybody=everybody,
            qids=wanted,
            sensitive=beside,
            target=target,
            bounds=exact,
            hierarchies=_hierarchies(
                records, [one for one in wanted if one not in exact], hierarchies, trees
            ),
            friendly=None if friendly is None else tuple(friendly),
            seed=seed,
        )

    @property
    def numeric(self) -> tuple[str, ...]:
        """The numeric quasi-identifiers."""
        return tuple(one for one in self.qids if one in self.bounds)

    @property
    def categorical(self) -> tuple[str, ...]:
        """The categorical ones."""
        return tuple(one for one in self.qids if one not in self.bounds)

    def noised(self, name: str) -> NoisedColumn:
        """Return a numeric quasi-identifier with its bounds and its grid."""
        return noised_column(name, self.records.column(name).value_type, self.bounds[name])

    def task(self, k: int) -> AnonymizationTask:
        """Return what an anonymizer is asked: k persons in each class."""
        task = k_anonymity_task(
            k, self.qids, sensitive=self.sensitive, seed=self.seed, hierarchies=self.hierarchies
        )
        return replace(task, target=self.target, is_rehearsal=True)


def _check_bounds(records: MemoryRecords, qids: Sequence[str], bounds: Bounds) -> None:
    for name in bounds:
        if name not in qids:
            raise UserError(f"bounds are declared for {name!r}, which is no quasi-identifier; leave them out")
        if not records.column(name).has_scale:
            raise UserError(f"bounds are declared for {name!r}, which holds no numbers; leave them out")
    for name in qids:
        if records.column(name).is_numeric and name not in bounds:
            raise UserError(
                f"{name!r} holds numbers and has no bounds; declare what it may hold, such as {name}=0:100"
            )


def _hierarchies(
    records: MemoryRecords,
    names: Sequence[str],
    folder: str | Path | None,
    trees: Mapping[str, Mapping[str, object]] | None,
) -> dict[str, Hierarchy]:
    found = {}
    for name in names:
        path = None if folder is None else Path(folder) / f"{name}.csv"
        if trees is not None and name in trees:
            found[name] = taxonomy_hierarchy(records.column(name), trees[name])
        elif path is not None and path.is_file():
            found[name] = load_hierarchy(path, records.column(name))
        else:
            found[name] = automatic_hierarchy(records.column(name))
    return found
