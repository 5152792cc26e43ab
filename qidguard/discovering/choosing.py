"""Which strategy searches where nobody names one, and with which parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

from qidguard.core.choice import Choice
from qidguard.core.errors import PluginError, UserError
from qidguard.core.metric import TableFunction
from qidguard.core.parameter import Arguments, bind
from qidguard.host.kinds import SEARCH_STRATEGIES
from qidguard.measuring.question import Question
from qidguard.search.protocol import SearchStrategy

if TYPE_CHECKING:
    from qidguard.host import Host

EVERY_SET = "exhaustive"
"""The strategy that tries all sets, taken where they are few."""
MANY_SETS = "evolutionary"
"""The strategy that is taken where they are many."""
FEW_SETS = 32_767
"""All sets of 15 columns: that many are tried one and all."""
FEW_SLOW_SETS = 4_095
"""All sets of 12 columns: as many where a figure is no group-by, so that each set takes its own pass."""
PARETO = "pareto"
"""What the parameter ``objectives`` of a strategy is set to by those who ask for the Pareto front."""


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A strategy with its parameters.

    Args:
        strategy: The strategy.
        reason: Why this one.
        arguments: Its parameters, defaults included.
        owner: The plugin that offers it, for errors.
        expected_sets: How many sets it will ask for; None where that may be many.
    """

    strategy: SearchStrategy
    reason: str
    arguments: Arguments
    owner: str
    expected_sets: int | None


def sets_up_to(columns: int, largest: int) -> int:
    """Return the number of sets of 1 to ``largest`` columns.

    Example:
        >>> sets_up_to(4, 2)
        10
    """
    return sum(comb(columns, size) for size in range(1, largest + 1))


def choose(
    name: str | None,
    parameters: Mapping[str, object],
    *,
    sets: int,
    questions: Sequence[Question],
    host: "Host",
    is_pareto: bool = False,
) -> Chosen:
    """Return the strategy asked for; without a name, by the number of sets alone, so by no clock.

    Raises:
        UserError: When it does not exist, or a parameter is wrong.
        PluginError: When no plugin offers one, or a broken one may.
    """
    if not host.search_strategies:
        lack = "no loaded plugin offers a search strategy"
        broken = "; ".join(host.missing(SEARCH_STRATEGIES))
        remedy = "install one that does (the README names ours); qidguard plugins lists what is loaded"
        raise PluginError(f"{lack}: {broken}" if broken else f"{lack}; {remedy}")
    reason = "it was asked for"
    if name is None:
        if parameters:
            raise UserError("parameters belong to a strategy; name one beside them")
        slow = next((q.metric.name for q in questions if _is_slow(q)), None)
        few = FEW_SETS if slow is None else FEW_SLOW_SETS
        name = EVERY_SET if sets <= few else MANY_SETS
        reason = (
            f"{sets:,} sets are {'few enough to try each one' if sets <= few else 'too many to try each'}"
        )
        if slow is not None and few < sets <= FEW_SETS:
            reason += f", {slow} taking its own pass over the table"
    chosen = Choice.read(name, "strategy")
    strategy, name = host.search_strategy(chosen.name), chosen.name
    try:
        arguments = _bound(strategy, chosen.parameters_with(parameters, "strategy"), is_pareto=is_pareto)
    except UserError as error:
        raise UserError(f"strategy {name!r}: {error}") from None
    return Chosen(
        strategy=strategy,
        reason=reason,
        arguments=arguments,
        owner=host.owner("search_strategies", name),
        expected_sets=sets if name == EVERY_SET else None,
    )


def _bound(strategy: SearchStrategy, given: dict[str, object], *, is_pareto: bool) -> Arguments:
    own = {parameter.name: parameter for parameter in strategy.parameters}
    if is_pareto and "objectives" in own and PARETO in own["objectives"].choices:
        given.setdefault("objectives", PARETO)
    return bind(tuple(own.values()), given)


def _is_slow(question: Question) -> bool:
    return isinstance(question.metric.method, TableFunction) and not question.metric.is_of_size
