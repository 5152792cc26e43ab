"""What a search strategy, an objective and a recognition score are, for ``qidguard explain``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.core.parameter import Parameter
from qidguard.report.printable import visible

if TYPE_CHECKING:
    from qidguard.core.score import RecognitionScore
    from qidguard.host import Host
    from qidguard.search.objective import Objective, Term
    from qidguard.search.protocol import SearchStrategy


def searching_words(name: str, host: "Host") -> list[str] | None:
    """Return the lines that explain a strategy, an objective or a score; None for another name.

    Args:
        name: What is asked for.
        host: The plugins.

    Returns:
        A title, the plugin that offers it, and what a user may set.

    Units:
        Limits of parameters are in the parameters' own units.

    Raises:
        AttributeError: When a plugin's strategy has no parameters.

    Example:
        >>> from qidguard.host import load_host
        >>> searching_words("k_anonymity", load_host()) is None
        True
    """
    for kind, words in (
        ("search_strategies", _of_strategy),
        ("objectives", _of_objective),
        ("recognition_scores", _of_score),
    ):
        if name in host.registry[kind]:
            found = host.registry[kind][name]
            return [f"{visible(found.title)}  {name}", "", *words(found), "", host.owner(kind, name)]
    return None


def _of_strategy(strategy: "SearchStrategy") -> Iterator[str]:
    yield f"A search strategy: qidguard discover DATA --strategy {strategy.name}"
    yield "Parameters, each set with --set NAME=VALUE or under discovery: parameters: in a policy"
    for parameter in strategy.parameters:
        yield f"  {parameter.name} = {_default(parameter)}  {_limits(parameter)}"
        yield f"      {visible(parameter.meaning)}"
    if not strategy.parameters:
        yield "  none"


def _of_objective(objective: "Objective") -> Iterator[str]:
    yield f"An objective, to be as high as possible: qidguard discover DATA --objective {objective.name}"
    yield "Terms; --weight METRIC=NUMBER changes one"
    yield from map(_term, objective.terms)
    if objective.divisors:
        yield "Divided by"
        yield from map(_term, objective.divisors)


def _of_score(score: "RecognitionScore") -> Iterator[str]:
    best = 1 if score.is_higher_better else 0
    yield "A score of found quasi-identifiers against the true ones: qidguard discover DATA --truth a,b"
    yield f"share, 0 to 1; a perfect recognition has {best}"
    yield f"How it is computed: {visible(score.formula)}"
    yield f"Source: {visible(score.source)}"


def _term(term: "Term") -> str:
    arguments = ", ".join(f"{name}={value}" for name, value in term.arguments.items())
    return f"  {term.weight:+g} {term.metric}" + (f" ({visible(arguments)})" if arguments else "")


def _default(parameter: Parameter) -> str:
    if parameter.default is None:
        return "(required)"
    return str(parameter.default).lower() if parameter.type is bool else visible(str(parameter.default))


def _limits(parameter: Parameter) -> str:
    if parameter.choices:
        return f"({' or '.join(parameter.choices)})"
    low, high = parameter.minimum, parameter.maximum
    words = [f"at least {low:g}"] if low is not None else []
    words += [f"at most {high:g}"] if high is not None else []
    return f"({', '.join([parameter.type.__name__, *words])})"
