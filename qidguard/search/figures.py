"""Figures: what has to be measured so that an objective has a value."""

from collections.abc import Callable, Mapping

from qidguard.core.errors import UserError
from qidguard.core.metric import Metric
from qidguard.core.parameter import bind
from qidguard.core.role import Role
from qidguard.measure.figure import Figure
from qidguard.search.objective import Objective, Term


def figures_of(
    objective: Objective,
    find: Callable[[str], tuple[Metric, str]],
    columns: Mapping[Role, str],
) -> tuple[Figure, ...]:
    """Return one figure for each of the objective's ``every_term``, in order, as a measurer takes them.

    A term that is a change (``Metric.change_of``) gets the figure of the metric it is the change of: the
    search itself takes the difference.

    Args:
        objective: The objective.
        find: Metric name → the metric, and the plugin that offers it, for errors.
        columns: The sensitive, target and treatment column, where there is one; a term's own goes first.

    Returns:
        The figures.

    Units:
        None.

    Raises:
        UserError: When a metric does not exist, an argument is wrong, a metric needs a column that nobody
            named, or a metric looks at the population or at earlier releases, which a search does not have.

    Example:
        >>> figures_of(Objective(name="x", title="X", terms=(Term(metric="k"),)), lambda name: {}[name], {})
        Traceback (most recent call last):
        ...
        KeyError: 'k'
    """
    return tuple(_figure(term, find, columns) for term in objective.every_term)


def _figure(term: Term, find: Callable[[str], tuple[Metric, str]], columns: Mapping[Role, str]) -> Figure:
    metric, owner = find(term.metric)
    if metric.change_of:
        metric, owner = find(metric.change_of)
    if metric.needs_population or metric.needs_history or metric.needs_original:
        lacks = "a population table" if metric.needs_population else "earlier releases"
        raise UserError(f"metric {metric.name!r} needs {lacks}, which a search has not; take another metric")
    attribute = None
    if metric.attribute is not None:
        attribute = term.attribute or columns.get(metric.attribute)
        if attribute is None:
            role = metric.attribute.value
            raise UserError(f"metric {metric.name!r} is measured beside a {role} column; name one")
    elif term.attribute is not None:
        raise UserError(
            f"metric {metric.name!r} is measured beside no column; do not name {term.attribute!r}"
        )
    try:
        arguments = bind(metric.parameters, term.arguments)
    except UserError as error:
        raise UserError(f"metric {metric.name!r}: {error}") from None
    return Figure(metric=metric, arguments=arguments, attribute=attribute, owner=owner)
