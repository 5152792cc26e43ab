"""What a fully private run is asked for, read from its parameters and the task."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Arguments,
    ColumnValues,
    DeclarationError,
    NotMeasurable,
    Parameter,
    Records,
    ValueType,
)
from qidguard_hybrid_dp.private.domain import Bins, Categories, Domain
from qidguard_hybrid_dp.private.plan import Plan, Structure, plan_of

_BUDGET = (
    Parameter(
        name="epsilon", type=Fraction, minimum=0, meaning="ε of a person in all that is drawn, above 0"
    ),
    Parameter(
        name="delta",
        type=Fraction,
        default=Fraction(0),
        minimum=0,
        meaning="δ of a person in all, below 1; finds categories that are not declared, and 0 finds none",
    ),
    Parameter(
        name="records_per_person",
        type=int,
        default=1,
        minimum=1,
        meaning="most records of a person, which ε is divided by",
    ),
)
_CELLS = (
    Parameter(
        name="categories",
        type=str,
        per="column",
        default={},
        meaning="public categories of a column, with | between; all others count as one",
    ),
    Parameter(
        name="bounds",
        type=Fraction,
        per="column",
        many=2,
        default={},
        meaning="public ends of a column of numbers, in its unit; days since 1970 for dates",
    ),
    Parameter(name="bins", type=int, default=16, minimum=1, meaning="bins of a column of numbers"),
)
SYNTHETIC_PARAMETERS = (
    *_BUDGET,
    *_CELLS,
    Parameter(
        name="structure",
        type=str,
        default="star",
        choices=tuple(one.value for one in Structure),
        meaning="what is counted: each column with the center, these and a tree given it, or a tree alone",
    ),
    Parameter(
        name="center",
        type=str,
        default="",
        meaning="center of the star; empty takes the target, else the first sensitive attribute",
    ),
    Parameter(
        name="weights",
        type=Fraction,
        per="column",
        default={},
        meaning="share of ε of a column's marginal beside the others', 1 where nothing is said",
    ),
)
COUNTS_PARAMETERS = (
    *_BUDGET,
    *_CELLS,
    Parameter(
        name="columns",
        type=str,
        default="",
        meaning="columns that are counted together, with | between; empty takes all that may be",
    ),
)


_EXACT = (-(10**15), 10**15)
"""Whole numbers that floats tell apart."""
_DAYS = (-719_162, 2_932_896)
"""The years 1 to 9999, in days since 1970."""


@dataclass(frozen=True, kw_only=True)
class PrivateRun:
    """A run that was asked for.

    Args:
        columns: The columns of the new table, in the source's order.
        records_per_person: Most records of a person, ≥ 1.
        plan: What is measured, at ε / records_per_person for one record.
        center: The center of a star, or the column that a tree is drawn from; empty for counts.
    """

    columns: Mapping[str, ColumnValues] = field(repr=False)
    records_per_person: int
    plan: Plan
    center: str = ""


def synthetic_run(records: Records, arguments: Arguments, task: AnonymizationTask) -> PrivateRun:
    """Return what the parameters ask for: a star or a tree.

    Raises:
        DeclarationError: When ε is not above 0 or δ not below 1; a column is declared in a way that it cannot
            be, or not at all at δ = 0; there is no column or no center.
        NotMeasurable: When a person has more records than is said, or a marginal would have too many cells.
    """
    columns = _columns(records, arguments, task)
    structure = Structure(arguments["structure"])
    center = _center(arguments["center"], structure, tuple(columns), task)
    weights = arguments["weights"]
    if any(weight <= 0 for weight in weights.values()):
        raise DeclarationError("weights of the budget must be above 0; leave out columns that need none")
    return _run(columns, arguments, structure=structure, center=center, weights=weights)


def counts_run(records: Records, arguments: Arguments, task: AnonymizationTask) -> PrivateRun:
    """Return what the parameters ask for: counts over some columns together.

    Raises:
        DeclarationError: As for ``synthetic_run``, and when a column is named that may not be counted.
    """
    columns = _columns(records, arguments, task)
    named = [name.strip() for name in arguments["columns"].split("|") if name.strip()]
    for name in named:
        if name not in columns:
            raise DeclarationError(
                f"column {name!r} is no quasi-identifier, sensitive attribute or target; name some of these"
            )
    columns = {name: column for name, column in columns.items() if not named or name in named}
    return _run(columns, arguments)


def _columns(records: Records, arguments: Arguments, task: AnonymizationTask) -> dict[str, ColumnValues]:
    """Return the columns that may be in a new table, after what is asked of ε, δ and persons was checked."""
    epsilon, delta, most = arguments["epsilon"], arguments["delta"], arguments["records_per_person"]
    if epsilon <= 0:
        raise DeclarationError(f"epsilon must be above 0, not {epsilon}; 1 is a usual value")
    if delta >= 1:
        raise DeclarationError(f"delta must be below 1, not {delta}; it should be far below 1 / records")
    if delta and most > 1:
        raise DeclarationError(
            "several records of a person are reckoned for pure epsilon only; set delta to 0 and declare the"
            " categories and bounds of all columns"
        )
    _check_persons(records, task, most)
    wanted = {*task.quasi_identifiers, *task.sensitive, *((task.target,) if task.target else ())}
    wanted -= {task.entity, *task.direct_identifiers}
    columns = {name: records.column(name) for name in records.names if name in wanted}
    if not columns:
        raise DeclarationError("there is no quasi-identifier, sensitive attribute or target to count")
    return columns


def _check_persons(records: Records, task: AnonymizationTask, most: int) -> None:
    if task.entity is None:
        return
    found = int(np.bincount(records.codes((task.entity,))[:, 0]).max())
    if found > most:
        raise NotMeasurable(
            f"a person has {found:,} records, and records_per_person says at most {most:,}; raise it, which"
            " divides epsilon, or publish one record a person"
        )


def _center(given: str, structure: Structure, columns: tuple[str, ...], task: AnonymizationTask) -> str:
    name = given or task.target or next(iter(task.sensitive), "")
    if not name and structure is Structure.TREE:
        name = columns[0]
    if not name:
        raise DeclarationError(
            "a star needs a center, and there is neither a target nor a sensitive attribute; name a column in"
            " center, or take structure: tree"
        )
    if name not in columns:
        raise DeclarationError(
            f"the center {name!r} is no quasi-identifier, sensitive attribute or target; name one of these"
        )
    return name


def _run(
    columns: Mapping[str, ColumnValues], arguments: Arguments, *, center: str = "", **more: Any
) -> PrivateRun:
    given = {name: _domain(column, arguments) for name, column in columns.items()}
    declared = {name: domain for name, domain in given.items() if domain is not None}
    most = arguments["records_per_person"]
    plan = plan_of(
        tuple(columns),
        declared,
        epsilon=arguments["epsilon"] / most,
        # where all columns are declared there is nothing to find
        delta=arguments["delta"] if len(declared) < len(columns) else Fraction(0),
        center=center,
        **more,
    )
    return PrivateRun(columns=columns, records_per_person=most, plan=plan, center=center)


def _domain(column: ColumnValues, arguments: Arguments) -> Domain | None:
    name = column.name
    bounds, categories = arguments["bounds"].get(name), arguments["categories"].get(name)
    if bounds is not None and categories is not None:
        raise DeclarationError(f"column {name!r} has both bounds and categories; declare one of the two")
    if categories is not None:
        values = tuple(dict.fromkeys(text.strip() for text in categories.split("|")))
        return Categories(
            name=name, values=tuple(text for text in values if text), value_type=column.value_type
        )
    if bounds is not None:
        if not column.has_scale:
            raise DeclarationError(f"column {name!r} has bounds and holds no numbers; declare its categories")
        if not bounds[0] < bounds[1]:
            raise DeclarationError(f"the bounds of {name!r} must rise, the lower one first")
        least, most = _DAYS if column.value_type in (ValueType.DATE, ValueType.TIMESTAMP) else _EXACT
        if bounds[0] < least or bounds[1] > most:
            raise DeclarationError(
                f"the bounds of {name!r} must lie between {least:,} and {most:,}; narrow them"
            )
        return Bins(name=name, bounds=bounds, bins=arguments["bins"], value_type=column.value_type)
    if column.is_numeric:
        raise DeclarationError(
            f"column {name!r} holds numbers and has no bounds; declare them, for read off the data they would"
            " tell its extreme values"
        )
    return None
