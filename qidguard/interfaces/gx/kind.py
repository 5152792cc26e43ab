"""Which of our expectations a result is of: by its class, since users subclass them to set arguments."""

from collections.abc import Mapping
from typing import Any

from great_expectations.exceptions import ExpectationNotFoundError
from great_expectations.expectations.registry import (
    get_expectation_impl,
    list_registered_expectation_implementations,
)

from qidguard.interfaces.gx.expectations.policy import ExpectTableToMeetPrivacyPolicy
from qidguard.interfaces.gx.expectations.privacy import PrivacyExpectation


def type_of(result: Any) -> str:
    """Return the type of the expectation, in snake_case."""
    return str(result.expectation_config.type)


def is_ours(result: Any) -> bool:
    """Return whether a result is of an expectation on privacy."""
    return _is_a(result, PrivacyExpectation)


def is_whole(result: Any) -> bool:
    """Return whether a result is of the expectation of a whole policy."""
    return _is_a(result, ExpectTableToMeetPrivacyPolicy)


def argument(result: Any, name: str) -> Any:
    """Return an argument of one of our expectations, also where its class says it; None for no such."""
    given: Mapping[str, Any] = result.expectation_config.kwargs
    if name in given:
        return given[name]
    return get_expectation_impl(type_of(result)).stated({}).get(name)


def left_out(context: Any, suite: str) -> tuple[str, ...]:
    """Return the types of a stored suite's expectations that nobody imported.

    Great Expectations leaves them out, with a line in the log alone, and what is left passes.
    """
    store = context.expectations_store
    key = store.get_key(name=suite, id=None)
    stored = store.get(key)["expectations"] if store.has_key(key) else ()
    known = set(list_registered_expectation_implementations())
    return tuple(sorted({str(one["type"]) for one in stored} - known))


def _is_a(result: Any, kind: type) -> bool:
    try:
        return issubclass(get_expectation_impl(type_of(result)), kind)
    except ExpectationNotFoundError:  # a result of another process, whose class nobody imported here
        return False
