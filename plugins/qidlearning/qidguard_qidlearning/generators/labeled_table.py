"""A table whose quasi-identifiers are known, because the register it was drawn from is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from qidguard_qidlearning.generators import recorded
from qidguard_qidlearning.generators.register import (
    DERIVATIONS,
    MISSING,
    REGISTER_ATTRIBUTES,
    Coded,
    draw_register,
)

PERSONS_A_POSTCODE = 25
"""Records for each postcode, so that a postcode is no measurement in a small table."""


@dataclass(frozen=True, kw_only=True)
class LabeledTable:
    """A table and the truth about its columns.

    Args:
        frame: The table, one record a person, its columns in random order.
        register: The population register: ``person`` and the true quasi-identifiers, as outsiders know them.
        persons: The person of each record: the answer to a linkage attack. It is no column of the table.
        quasi_identifiers: The truth: the columns that the register and the table share, in the table's order.
        direct_identifier: The record number.
        sensitive: The sensitive attribute.
        target: The outcome.
        treatment: Who was treated.
        derived: Derived column → the quasi-identifier it is a function of. An outsider knows it too, but it
            makes no class smaller, so the truth, which is the smallest set with these classes, leaves it out.
        flags: Near-constant columns.
        measurements: Continuous columns recorded here only.
        lookalikes: Columns recorded here only which no count tells from a quasi-identifier.
        seed: What it was made with.
    """

    frame: pd.DataFrame
    register: pd.DataFrame
    persons: np.ndarray[tuple[int], np.dtype[np.int64]]
    quasi_identifiers: tuple[str, ...]
    direct_identifier: str
    sensitive: str
    target: str
    treatment: str
    derived: Mapping[str, str]
    flags: tuple[str, ...]
    measurements: tuple[str, ...]
    lookalikes: tuple[str, ...]
    seed: int

    @property
    def candidates(self) -> tuple[str, ...]:
        """The columns a search chooses from where the other roles are given, in the table's order."""
        given = {self.direct_identifier, self.sensitive, self.target, self.treatment}
        return tuple(str(name) for name in self.frame.columns if name not in given)

    @property
    def attainable_f1(self) -> float:
        """The F1 of the best recognition that counts alone allow, 0..1, where the other roles are given.

        It finds every quasi-identifier and takes every lookalike for one: 2q / (2q + lookalikes).
        """
        true = len(self.quasi_identifiers)
        return 2 * true / (2 * true + len(self.lookalikes))


def labeled_table(  # noqa: PLR0913 - each says one thing of the table, and by keyword only
    records: int = 10_000,
    seed: int = 0,
    *,
    quasi_identifiers: int | Sequence[str] = 6,
    derived: int = 3,
    flags: int = 4,
    measurements: int = 4,
    lookalikes: int = 0,
    noise: float = 0.01,
    missing: float = 0.01,
    persons: int | None = None,
    is_derived_first: bool = False,
    is_masked: bool = False,
) -> LabeledTable:
    """Return a table drawn from a population register, with the truth about each column.

    A quasi-identifier is what an outsider can know of a person and find in the table (Dalenius 1986); so the
    truth is what the register shares with the table, never what a metric says. Counts alone can tell it from
    flags (they hardly divide the records), from derived columns (another column determines them) and from
    measurements (each record has a value of its own), but not from lookalikes, nor from the sensitive
    attribute, the target and the treatment where their roles are not given. ``attainable_f1`` says what that
    leaves.

    Args:
        records: How many people the table holds, ≥ 1.
        seed: The same seed gives the same table.
        quasi_identifiers: Which attributes of ``REGISTER_ATTRIBUTES`` the table has, or how many, 1..10,
            which the seed then draws.
        derived: At most how many coarser functions of the quasi-identifiers the table has too.
        flags: How many near-constant flags, 0..8.
        measurements: How many free measurements, 0..8.
        lookalikes: How many columns no count can tell from a quasi-identifier, 0..6.
        noise: Share of the table's QID values that are another person's: typing errors, old addresses; 0..1.
        missing: Share of the table's QID and lookalike values that are missing, 0..1.
        persons: How many people the register holds, ≥ records; None is ten times as many.
        is_derived_first: Whether derived columns were made before values went wrong or missing: a source then
            determines its derived column but for those values.
        is_masked: Whether columns are called c01, c02, …, so that no name tells a role.

    Returns:
        The table, its register, and the role of each column.

    Units:
        Ages in years; records are persons.

    Raises:
        ValueError: When a number is outside its range or an attribute is unknown.

    Example:
        >>> made = labeled_table(200, seed=1, quasi_identifiers=["age", "sex", "postcode"], is_masked=True)
        >>> len(made.frame), len(made.register), made.quasi_identifiers
        (200, 2000, ('c01', 'c05', 'c08'))
    """
    everybody = 10 * records if persons is None else persons
    _check(records, everybody, noise, missing)
    rng = np.random.default_rng(seed)
    chosen = _chosen(rng, quasi_identifiers)
    register = draw_register(
        rng, persons=everybody, postcodes_count=int(np.clip(records // PERSONS_A_POSTCODE, 16, 400))
    )
    who = rng.choice(everybody, size=records, replace=False)
    true = {name: register[name].at(who) for name in REGISTER_ATTRIBUTES}
    known = {name: _blurred(rng, true[name], noise=noise, missing=missing) for name in chosen}
    sources = true if is_derived_first else known
    made = {name: d.apply(sources[d.source]) for name, d in DERIVATIONS.items() if d.source in known}
    coarser = _some(rng, list(made), min(derived, len(made)), "derived")
    raised = _some(rng, recorded.FLAGS, flags, "flags")
    alike = _some(rng, list(recorded.LOOKALIKES), lookalikes, "lookalikes")
    free = _some(rng, list(recorded.MEASUREMENTS), measurements, "measurements")
    age = true["age"].codes
    ill = recorded.diagnosis(rng, age, true["sex"].codes)
    treated = recorded.treatment(rng, ill, age)
    columns: dict[str, Coded | np.ndarray[tuple[int], np.dtype[np.generic]]] = {
        "record_number": rng.permutation(records) + 100_000,
        **known,
        **{name: made[name] for name in coarser},
        **{name: recorded.flag(rng, records) for name in raised},
        **{name: recorded.measurement(rng, name, age) for name in free},
        **{
            name: _blurred(rng, recorded.lookalike(rng, name, records), noise=0.0, missing=missing)
            for name in alike
        },
        "diagnosis": ill,
        "treated": treated,
        "outcome": recorded.outcome(rng, treated, age),
    }
    order = [list(columns)[i] for i in rng.permutation(len(columns))]
    called = {name: f"c{i + 1:02d}" if is_masked else name for i, name in enumerate(order)}

    def named(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(called[name] for name in order if name in names)

    people = {called[name]: register[name].column() for name in order if name in chosen}
    return LabeledTable(
        frame=pd.DataFrame({called[name]: _column(columns[name]) for name in order}),
        register=pd.DataFrame({"person": np.arange(everybody), **people}),
        persons=who,
        quasi_identifiers=named(chosen),
        direct_identifier=called["record_number"],
        sensitive=called["diagnosis"],
        target=called["outcome"],
        treatment=called["treated"],
        derived=MappingProxyType({called[n]: called[DERIVATIONS[n].source] for n in order if n in coarser}),
        flags=named(raised),
        measurements=named(free),
        lookalikes=named(alike),
        seed=seed,
    )


def _check(records: int, persons: int, noise: float, missing: float) -> None:
    if records < 1:
        raise ValueError(f"a labeled table needs at least one record, not {records}")
    if persons < records:
        raise ValueError(f"a register of {persons} persons cannot give {records} records; let it hold more")
    for name, share in (("noise", noise), ("missing", missing)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} is a share, 0 to 1, not {share}")


def _chosen(rng: np.random.Generator, wanted: int | Sequence[str]) -> tuple[str, ...]:
    if isinstance(wanted, int):
        if wanted < 1:
            raise ValueError(f"a labeled table needs at least one quasi-identifier, not {wanted}")
        return _some(rng, REGISTER_ATTRIBUTES, wanted, "quasi_identifiers")
    unknown = [name for name in wanted if name not in REGISTER_ATTRIBUTES]
    if unknown or not wanted or len(set(wanted)) != len(wanted):
        what = f"{unknown[0]!r} is unknown" if unknown else "none or one twice was named"
        raise ValueError(f"quasi-identifiers are names of {', '.join(REGISTER_ATTRIBUTES)}; {what}")
    return tuple(wanted)


def _some(rng: np.random.Generator, names: Sequence[str], count: int, what: str) -> tuple[str, ...]:
    if not 0 <= count <= len(names):
        raise ValueError(f"{what} must be 0 to {len(names)}, not {count}")
    return tuple(names[i] for i in sorted(rng.choice(len(names), size=count, replace=False))) if count else ()


def _blurred(rng: np.random.Generator, column: Coded, *, noise: float, missing: float) -> Coded:
    records = len(column.codes)
    others = column.codes[rng.permutation(records)]
    codes = np.where(rng.random(records) < noise, others, column.codes)
    return Coded(values=column.values, codes=np.where(rng.random(records) < missing, MISSING, codes))


def _column(column: "Coded | np.ndarray[tuple[int], np.dtype[np.generic]]") -> "pd.Series[Any]":
    return column.column() if isinstance(column, Coded) else pd.Series(column)
