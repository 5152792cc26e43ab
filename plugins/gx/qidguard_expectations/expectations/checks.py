"""What no batch could make right is refused when an expectation is made, in the sentences of a policy."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from great_expectations.core.suite_parameters import is_suite_parameter

from qidguard.sdk import WORDS_OF_FILES, QidguardError, demands, load_host, load_policy
from qidguard_expectations.questions import check_comparable, in_own_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from qidguard.sdk import Policy

_NUMBERS = (2, 0.5, 1, 0)
"""Stand for a number that is given when the suite runs, until everything else fits one of them."""

CONDITIONS = ("row_condition", "condition_parser")
"""How other expectations are told to look at some of the records."""


def check_document(policy: Mapping[str, Any]) -> "Policy":
    """Return the policy that arguments make; ValueError where none could hold them.

    Example:
        >>> roles = {"quasi_identifiers": []}
        >>> check_document({"qidguard": 1, "name": "p", "roles": roles, "thresholds": []})
        Traceback (most recent call last):
        ...
        ValueError: quasi_identifiers must name at least one column; write for example \
quasi_identifiers: [age, sex, postcode]
    """
    try:
        return load_policy(policy)
    except QidguardError as error:
        raise ValueError(in_own_words(str(error))) from None


def check_measurable(policy: Mapping[str, Any]) -> None:
    """Raise ValueError where no batch could be judged so: its metric, its limit or its parameters do not fit.

    Example:
        >>> check_measurable(
        ...     {
        ...         "qidguard": 1,
        ...         "name": "p",
        ...         "roles": {"quasi_identifiers": ["age"]},
        ...         "thresholds": [{"metric": "k_anonimity", "at_least": 5}],
        ...     }
        ... )
        Traceback (most recent call last):
        ...
        ValueError: k_anonimity: there is no metric 'k_anonimity'; did you mean 'k_anonymity'?
    """
    loaded = check_document(policy)
    if loaded.is_auto:
        raise ValueError("quasi_identifiers must be a list of columns; only a whole policy finds them itself")
    try:
        asked = demands(loaded, loaded.roles.qids, load_host())
        check_comparable(asked)
    except QidguardError as error:
        raise ValueError(in_own_words(str(error))) from None
    for demand in asked:
        if demand.question.metric.needs_population and loaded.population is None:
            raise ValueError(
                f"{demand.question.metric.title} is measured against the population, and none is given; write"
                " population, or choose a metric that needs none"
            )


def check_whole(policy: Mapping[str, Any]) -> None:
    """Raise ValueError where a whole policy is not valid, or asks what no installed metric answers."""
    loaded = check_document(policy)
    try:
        demands(loaded, ("any",) if loaded.is_auto else loaded.roles.qids, load_host())
    except QidguardError as error:
        raise ValueError(str(error)) from None


def check_any(given: Mapping[str, Any], check: "Callable[[Mapping[str, Any]], None]") -> None:
    """Check arguments of which some are given when the suite runs, by values that could be given.

    ValueError where nothing that could be given would fit.
    """
    refused: ValueError | None = None
    for settled in _settled(given):
        try:
            check(settled)
        except ValueError as error:
            refused = refused or error
        else:
            return
    if refused is not None:
        raise refused


def check_conditions(given: Mapping[str, Any]) -> None:
    """Refuse to look at some of the records: what is left is another table.

    Example:
        >>> check_conditions({"row_condition": "age > 17"})
        Traceback (most recent call last):
        ...
        ValueError: row_condition is not supported: the records that it leaves out are published as well, \
and those that it keeps are another table; judge that one as an asset of its own, such as a query
    """
    named = next((name for name in CONDITIONS if given.get(name) is not None), None)
    if named is not None:
        raise ValueError(
            f"{named} is not supported: the records that it leaves out are published as well, and those that"
            " it keeps are another table; judge that one as an asset of its own, such as a query"
        )


def check_source(source: object) -> None:
    """Refuse to say how a file is read, which nobody would follow."""
    unread = sorted(set(WORDS_OF_FILES) & set(source)) if isinstance(source, Mapping) else []
    if unread:
        raise ValueError(
            f"source.{unread[0]} says how a file is read, which the data source of Great Expectations does;"
            " remove it from source"
        )


def _settled(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the arguments with something in the place of each parameter."""
    places = {name: _stand_ins(name, given) for name, value in given.items() if is_suite_parameter(value)}
    for values in product(*places.values()):
        yield {**given, **dict(zip(places, values, strict=True))}


def _stand_ins(name: str, given: Mapping[str, Any]) -> tuple[Any, ...]:
    if name in {"quasi_identifiers", "columns"}:
        attacker = given.get("attacker")
        known = attacker.get("knows_any") if isinstance(attacker, Mapping) else None
        number = known if type(known) is int and 0 < known < 1_000 else 1  # noqa: PLR2004 - a table's columns
        return ([f"column {at} of {name}" for at in range(number)],)
    if name in {"sensitive", "entity", "weight", "population", "population_entity"}:
        return (f"the column {name}",)
    if name == "source":
        return ({},)
    return _NUMBERS
