"""Objectives as they are asked for: terms with weights, each with the figure that measures it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.core.errors import PluginError, UserError
from qidguard.core.role import Role
from qidguard.measuring.question import Question
from qidguard.search.objective import Objective, Term
from qidguard.search.questions import questions_of

if TYPE_CHECKING:
    from qidguard.host import Host


_ROLES = (Role.TARGET, Role.TREATMENT, Role.SENSITIVE)


@dataclass(frozen=True, kw_only=True)
class AttributeColumns:
    """The columns beside which metrics are measured.

    Args:
        target: The target, if there is one.
        treatment: The treatment, if there is one.
        sensitive: The sensitive attributes.
    """

    target: str | None = None
    treatment: str | None = None
    sensitive: tuple[str, ...] = ()

    def of(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role."""
        column_of = {Role.TARGET: self.target, Role.TREATMENT: self.treatment}
        if role is Role.SENSITIVE:
            return self.sensitive
        column = column_of.get(role)
        return () if column is None else (column,)

    @property
    def words(self) -> dict[str, str]:
        """Column → what it is called."""
        words = dict.fromkeys(self.sensitive, "it is sensitive")
        words |= {} if self.treatment is None else {self.treatment: "it is the treatment"}
        return words | ({} if self.target is None else {self.target: "it is the target"})


@dataclass(frozen=True, kw_only=True)
class WeighedObjective:
    """An objective whose terms can be measured.

    Args:
        objective: The objective; a term of several sensitive attributes became one term each, its weight
            shared among them, so that it counts with their mean.
        questions: What is measured for each term, in the order of ``objective.every_term``.
    """

    objective: Objective
    questions: tuple[Question, ...]


def weigh(
    asked: "str | Objective | Mapping[str, float]",
    host: "Host",
    *,
    weights: Mapping[str, float] | None = None,
    attributes: AttributeColumns | None = None,
) -> WeighedObjective:
    """Return an objective with what is measured for its terms.

    Args:
        asked: An objective, its name, or metrics with their weights.
        host: The plugins.
        weights: Weights that take the place of the objective's own, or add a term to it; 0 removes one.
        attributes: The columns beside which metrics are measured.

    Returns:
        The objective, whose every term has a figure.

    Units:
        Weights have the reciprocal units of their metrics.

    Raises:
        UserError: When a name does not exist, a weight is no finite number, or a metric lacks its column.
        PluginError: When a broken or skipped plugin may offer what is missing.

    Example:
        >>> from qidguard.host import load_host
        >>> [t.weight for t in weigh({"k_anonymity": 2}, load_host()).objective.terms]
        [2.0]
    """
    own = _objective(asked, host)
    if isinstance(asked, str):
        _check_known(own, host)
    objective = _reweighed(own, weights or {})
    columns = attributes or AttributeColumns()
    objective = replace(
        objective,
        terms=tuple(part for term in objective.terms for part in _spread(term, host, columns)),
        divisors=tuple(part for term in objective.divisors for part in _spread(term, host, columns)),
    )
    firsts = {role: of_role[0] for role in _ROLES if (of_role := columns.of(role))}
    return WeighedObjective(
        objective=objective,
        questions=questions_of(
            objective, lambda name: (host.metric(name), host.owner("metrics", name)), firsts
        ),
    )


def _objective(asked: "str | Objective | Mapping[str, float]", host: "Host") -> Objective:
    if isinstance(asked, Objective):
        return asked
    if isinstance(asked, str):
        return host.objective(asked)
    if not isinstance(asked, Mapping):
        raise UserError(
            f"an objective is a name, metrics with their weights, or an Objective, not {type(asked).__name__}"
        )
    return Objective(name="weighted", title="metrics with the weights given", terms=_terms(asked))


def _check_known(objective: Objective, host: "Host") -> None:
    """Check that a plugin's objective weighs metrics that there are; else it is its plugin's fault."""
    for term in objective.every_term:
        try:
            host.metric(term.metric)
        except UserError as error:
            owner = host.owner("objectives", objective.name)
            raise PluginError(f"{owner}: objective {objective.name!r} cannot be measured: {error}") from None


def _terms(weights: Mapping[str, float]) -> tuple[Term, ...]:
    if not weights:
        raise UserError("an objective weighs at least one metric; name one")
    for metric in weights:
        if not isinstance(metric, str):
            raise UserError(f"an objective weighs metrics by name, and {metric!r} is none; correct it")
    try:
        return tuple(Term(metric=metric, weight=weight) for metric, weight in weights.items())
    except (TypeError, ValueError) as error:
        raise UserError(f"{error}; correct it") from None


def _reweighed(objective: Objective, weights: Mapping[str, float]) -> Objective:
    own = {term.metric for term in objective.every_term}
    more = _terms({m: w for m, w in weights.items() if m not in own}) if set(weights) - own else ()
    terms = (*_with(objective.terms, weights), *more)
    divisors = tuple(_with(objective.divisors, weights))
    terms, divisors = tuple(t for t in terms if t.weight), tuple(t for t in divisors if t.weight)
    if not terms:
        raise UserError(
            f"objective {objective.name!r} is left without a term; give a metric another weight than 0"
        )
    return replace(objective, terms=terms, divisors=divisors)


def _with(terms: Iterable[Term], weights: Mapping[str, float]) -> Iterable[Term]:
    for term in terms:
        if term.metric in weights:
            _terms({term.metric: weights[term.metric]})
            yield replace(term, weight=weights[term.metric])
        else:
            yield term


def _spread(term: Term, host: "Host", attributes: AttributeColumns) -> list[Term]:
    """Return a term for each sensitive attribute it is measured beside; any other term stays as it is."""
    is_spread = host.metric(term.metric).attribute is Role.SENSITIVE and term.attribute is None
    columns = attributes.sensitive if is_spread and len(attributes.sensitive) > 1 else (term.attribute,)
    return [replace(term, weight=term.weight / len(columns), attribute=column) for column in columns]
