"""Metric selection: measure metrics on many subsets, and see which say the same."""

import math
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import GroupBy, Metric, NotMeasurable, Question, Role, SubsetMeasurer, UserError, audit
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.selection.correlation import correlations, groups, is_constant
from qidguard_qidlearning.selection.metric_selection import MetricSelection
from qidguard_qidlearning.selection.recommendation import recommend

MOST_SUBSETS = 5_000
"""Of more, a sample of so many is measured."""
_Given = Mapping[Role, str | None]
"""Role → the column that has it, or None."""


def select_metrics(  # noqa: PLR0913 - each says one thing of the question, and most by keyword only
    source: Any,
    metrics: Iterable[str | Metric] | None = None,
    columns: Iterable[str] | None = None,
    *,
    size: int = 4,
    sensitive: str | None = None,
    target: str | None = None,
    treatment: str | None = None,
    arguments: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    method: str = "spearman",
    threshold: float = 0.9,
    most_subsets: int = MOST_SUBSETS,
    seed: int = 0,
) -> MetricSelection:
    """Measure metrics on all subsets of some columns, and say which repeat each other on this table.

    Simões et al. 2025, section 4.4 and Figure 1: every metric on all subsets of 4 attributes, their
    correlations, and a set of metrics of all domains with little redundancy. The paper reads the matrix by
    eye; here complete linkage of 1 − |r| groups the metrics, and each group gives one.

    Args:
        source: An opened table, as an audit has it, or whatever ``qidguard.audit`` takes. It is never
            changed.
        metrics: Names of metrics of this plugin, or metrics; None takes all of this plugin. Those that are a
            change within a search, or that need a role which is not given, are left out, with the reason.
        columns: The columns that subsets are made of; None takes all but the three below.
        size: How many columns a subset has, ≥ 1.
        sensitive: The sensitive attribute.
        target: The target.
        treatment: The treatment.
        arguments: Metric → its arguments; others have their defaults.
        method: ``spearman`` (of ranks; sees any rising relation) or ``pearson`` (of figures; straight lines
            only).
        threshold: From which |r| on two metrics say the same, 0..1.
        most_subsets: Of more subsets, a sample of so many is drawn, ≥ 3.
        seed: What a sample is drawn with.

    Returns:
        Groups of metrics that say the same, the metrics to take with reasons, and what to see of it.

    Raises:
        UserError: When a metric or a column does not exist, or a number is outside its range.
        NotMeasurable: When no metric that was asked for varies.
        PluginError: When a metric fails.

    NULL in a column is a value of its own. In an empty table no metric varies, nor with one subset only.

    Example:
        >>> from qidguard_qidlearning.generators import synthetic_table
        >>> made = synthetic_table(200)
        >>> found = select_metrics(
        ...     made.frame[list(made.attributes)], ["distinction", "mean_class_size", "separation"]
        ... )
        >>> found.subsets, found.groups, found.recommended
        (70, (('separation', 'mean_class_size', 'distinction'),), ('distinction',))
    """
    given = {Role.SENSITIVE: sensitive, Role.TARGET: target, Role.TREATMENT: treatment}
    questions, left_out = _asked(metrics, given, arguments)
    with ExitStack() as opened:
        table: Any = source if hasattr(source, "statistics") else opened.enter_context(audit(source)).table
        wanted = _columns(table, columns, {name for name in given.values() if name})
        try:
            some, every = subsets(wanted, size, most=max(most_subsets, 3), seed=seed)
        except ValueError as error:
            raise UserError(f"metric selection: {error}; name more columns or another size") from None
        measurer = SubsetMeasurer(table, wanted, questions, expected_sets=len(some))
        values = measurer.measure(some)
    names = [question.metric.name for question in questions]
    speaks = [i for i in range(len(names)) if not is_constant(values[:, i])]
    if not speaks:
        raise NotMeasurable(f"no metric varies over the {len(some)} subsets, so none can be selected")
    silent = [names[i] for i in range(len(names)) if i not in speaks]
    silence = {name: "says nothing here: " + _silence(values[:, names.index(name)]) for name in silent}
    try:
        r = correlations(values[:, speaks], method)
        alike = groups(r, threshold)
    except ValueError as error:
        raise UserError(f"metric selection: {error}; give another one") from None
    order = [place for group in alike for place in group]
    spoken = [names[speaks[place]] for place in order]
    places = {place: i for i, place in enumerate(order)}
    r = r[np.ix_(order, order)]
    recommended, reasons = recommend(
        spoken,
        [[places[place] for place in group] for group in alike],
        r,
        {question.metric.name: isinstance(question.metric.method, GroupBy) for question in questions},
    )
    return MetricSelection(
        metrics=tuple(spoken),
        correlations=r,
        groups=tuple(tuple(names[speaks[place]] for place in group) for group in alike),
        recommended=recommended,
        reasons=MappingProxyType({**reasons, **silence, **left_out}),
        silent=tuple(silent),
        left_out=tuple(left_out),
        columns=wanted,
        size=size,
        subsets=len(some),
        every_subset=every,
        method=method,
        threshold=threshold,
        seed=seed,
    )


def _asked(
    metrics: Iterable[str | Metric] | None, given: _Given, arguments: Mapping[str, Mapping[str, Any]]
) -> tuple[tuple[Question, ...], dict[str, str]]:
    """Return a question for each metric that can be measured, and why others cannot: metric → why.

    UserError for an unknown metric or parameter.
    """
    every = _by_name(metrics)
    unknown = sorted(arguments.keys() - {metric.name for metric in every})
    if unknown:
        raise UserError(
            f"arguments are for metrics that were asked for, and {unknown[0]!r} was not; ask for it"
        )
    left_out = {metric.name: why for metric in every if (why := _why_not(metric, given))}
    questions = tuple(
        Question(
            metric=metric,
            arguments=_bound(metric, arguments.get(metric.name, {})),
            attribute=given[metric.attribute] if metric.attribute else None,
            owner="qidlearning",
        )
        for metric in every
        if metric.name not in left_out
    )
    return questions, left_out


def _by_name(metrics: Iterable[str | Metric] | None) -> list[Metric]:
    known = {metric.name: metric for metric in METRICS}
    found: dict[str, Metric] = {}
    for one in known if metrics is None else metrics:
        if isinstance(one, str) and one not in known:
            raise UserError(f"there is no metric {one!r} in this plugin; name one of {', '.join(known)}")
        metric = known[one] if isinstance(one, str) else one
        found[metric.name] = metric
    return list(found.values())


def _why_not(metric: Metric, given: _Given) -> str:
    if metric.change_of:
        return "left out: it is a change within a search."
    if metric.attribute and not given[metric.attribute]:
        return f"left out: it is measured beside a {metric.attribute} column, and none was given."
    if metric.needs_population or metric.needs_history:
        return "left out: it needs more than the table."
    return ""


def _bound(metric: Metric, given: Mapping[str, Any]) -> Mapping[str, Any]:
    unknown = sorted(given.keys() - {parameter.name for parameter in metric.parameters})
    if unknown:
        raise UserError(
            f"metric {metric.name} has no parameter {unknown[0]!r}; see qidguard explain {metric.name}"
        )
    return MappingProxyType({p.name: p.check(given.get(p.name, p.default)) for p in metric.parameters})


def _columns(table: Any, columns: Iterable[str] | None, beside: set[str]) -> tuple[str, ...]:
    every = [column.name for column in table.columns]
    wanted = list(columns) if columns is not None else [name for name in every if name not in beside]
    for name in (*wanted, *sorted(beside)):
        if name not in every:
            raise UserError(f"the table has no column {name!r}; look at its header")
    both = [name for name in wanted if name in beside]
    if both or len(set(wanted)) != len(wanted):
        what = f"{both[0]!r} is measured beside them" if both else "one is named twice"
        raise UserError(f"subsets are made of columns named once, and {what}; leave it out of the columns")
    return tuple(wanted)


def _silence(values: NDArray[np.float64]) -> str:
    known = values[np.isfinite(values)]
    return f"it is {known[0]:.4g} on every subset." if len(known) else "it has no figure on any subset."


def subsets(columns: tuple[str, ...], size: int, *, most: int, seed: int) -> tuple[list[frozenset[str]], int]:
    """Return the subsets of a size, or a sample of ``most`` of them, none twice, and how many there are."""
    if not 1 <= size <= len(columns):
        raise ValueError(f"a subset of {len(columns)} columns has 1 to {len(columns)} of them, not {size}")
    every = math.comb(len(columns), size)
    if every <= most:
        return [frozenset(one) for one in combinations(columns, size)], every
    rng = np.random.default_rng(seed)
    found: dict[frozenset[str], None] = {}
    while len(found) < most:
        found[frozenset(columns[i] for i in rng.choice(len(columns), size=size, replace=False))] = None
    return list(found), every
