"""The QIDs by what becomes of them: noise for numbers, clusters for categories, nothing for the rest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from qidguard.sdk import AnonymizationTask, ColumnValues, DeclarationError, Records, ValueType
from qidguard_hybrid_dp.asked import RunRequest
from qidguard_hybrid_dp.clusters.intervals import unusable_levels
from qidguard_hybrid_dp.noise.column import NoisedColumn, noised_column
from qidguard_hybrid_dp.noise.estimating import RangeEstimate, estimated, quantiles_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Qids:
    """The quasi-identifiers.

    Args:
        noised: Those that get noise.
        categorical: Those that are clustered and generalized: texts, Booleans, moments, dates
            without bounds.
        unchanged: Those that are the entity or sensitive and stay as they are.
        estimates: Of those that get noise, how the range is estimated where it is; ``noised`` has their
            declared bounds before, and the estimated range after ``with_ranges``.
    """

    noised: tuple[NoisedColumn, ...]
    categorical: tuple[str, ...]
    unchanged: tuple[str, ...]
    estimates: Mapping[str, RangeEstimate] = field(default_factory=dict)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The names of those that get noise."""
        return tuple(column.name for column in self.noised)


def qids_of(records: Records, asked: RunRequest, task: AnonymizationTask) -> Qids:
    """Return what becomes of each quasi-identifier.

    A QID is numeric where its values are numbers, or dates with bounds, in days since 1970; numbers with
    bounds are, whatever they seem to stand for. One that is the entity, or sensitive as well, is never
    changed.

    Raises:
        DeclarationError: When a numeric QID has no bounds; a parameter names a column that it cannot be
            about; or there is no numeric QID at all.
    """
    unchanged = tuple(n for n in task.quasi_identifiers if n == task.entity or n in task.sensitive)
    numeric: list[str] = []
    categorical: list[str] = []
    for name in task.quasi_identifiers:
        if name not in unchanged:
            (numeric if _is_numeric(records.column(name), asked) else categorical).append(name)
    without = [name for name in numeric if name not in asked.bounds]
    if without:
        raise DeclarationError(
            f"noise needs bounds that are known without looking at the table; {_listed(without)} has none:"
            f" declare bounds: {{{without[0]}: [lower, upper]}}, or take it as categories by as_category"
        )
    friendly = "public_membership" if asked.membership else "pattern_friendly"
    for parameter, named, known, kind in (
        ("bounds", asked.bounds, numeric, "numeric"),
        ("step", asked.steps, numeric, "numeric"),
        ("estimate", asked.estimates, numeric, "numeric"),
        (friendly, asked.friendly or (), categorical, "categorical"),
    ):
        for name in named:
            if name in records.names and name not in known:
                why = _why_not(records.column(name), kind, asked, task)
                raise DeclarationError(
                    f"{parameter} names {name!r}, which is no {kind} quasi-identifier that may change: {why}"
                )
    for name in numeric if asked.is_strict else ():
        hierarchy = task.hierarchies.get(name)
        between = 0 if hierarchy is None else hierarchy.levels - 2
        if hierarchy is not None and between and len(unusable_levels(hierarchy)) == between:
            raise DeclarationError(
                f"strict publishes noised numbers as intervals, and no level of the hierarchy of {name!r} has"
                " intervals of equal width, so a noised number may fall between those that are known; declare"
                f" equal widths without an open end, or no hierarchy of {name!r}"
            )
    if not numeric:
        raise DeclarationError(
            "the hybrid scheme draws noise for numeric quasi-identifiers, and none may be changed here; take"
            " a method of generalization, such as k_member, or declare one"
        )
    noised = tuple(
        noised_column(name, records.column(name).value_type, asked.bounds.get(name), asked.steps.get(name))
        for name in numeric
    )
    estimates = {
        column.name: RangeEstimate(outer=column, epsilon=asked.estimates[column.name])
        for column in noised
        if column.name in asked.estimates
    }
    return Qids(noised=noised, categorical=tuple(categorical), unchanged=unchanged, estimates=estimates)


def with_ranges(records: Records, qids: Qids, task: AnonymizationTask) -> Qids:
    """Return the same with the ranges that are estimated, by draws that cost what the estimates say."""
    return replace(
        qids,
        noised=tuple(
            estimated(
                numbers_of(records.column(column.name)),
                qids.estimates[column.name],
                quantiles_of(task, column.name),
            )
            if column.name in qids.estimates
            else column
            for column in qids.noised
        ),
    )


def numbers_of(column: ColumnValues) -> "NDArray[np.float64]":
    """Return the number of each record, NaN where there is none."""
    assert column.numbers is not None  # noqa: S101 - only numeric columns are asked
    return column.numbers[column.codes]


def _is_numeric(column: ColumnValues, asked: RunRequest) -> bool:
    is_bounded = column.name in asked.bounds
    # what its numbers seem to stand for may change from night to night, and declared bounds do not
    if column.name in asked.as_category or not (column.is_numeric or (is_bounded and column.has_scale)):
        return False
    is_dated = column.value_type is ValueType.DATE and is_bounded
    return is_dated or column.value_type in {ValueType.INTEGER, ValueType.NUMBER}


def _why_not(column: ColumnValues, kind: str, asked: RunRequest, task: AnonymizationTask) -> str:
    """Return why a parameter cannot be about a column, and what to do."""
    leave = "leave it out of the parameter"
    if column.name not in task.quasi_identifiers:
        return f"it is no quasi-identifier; name it as one, or {leave}"
    if column.name == task.entity or column.name in task.sensitive:
        return f"it is sensitive or the entity, and these are never changed; change its role, or {leave}"
    if kind == "categorical":
        return f"it gets noise; take it as categories by as_category, or {leave}"
    if column.name in asked.as_category:
        return "as_category takes it as categories; name it in one of the two only"
    if not any(column.texts[1:]):
        return f"it has no value; {leave}, or take it out of the table"
    return (
        f"it holds {column.value_type.value} values, and would be published without noise; declare what"
        f" stands for a missing number as source.missing, publish a moment as its date, or {leave}"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
