"""Draws of inputs, acted on one after the other: every error is ours, and no value gets out.

``QIDGUARD_GENERATED=100000`` draws that many in all, of each kind its share; ``QIDGUARD_SEED`` draws others.
"""

import itertools
import os
import traceback
from collections.abc import Callable
from typing import Any

from mutation import Mutator
from qidguard.core.errors import QidguardError
from seeds import SEED

TOTAL = int(os.environ.get("QIDGUARD_GENERATED", "1000"))
SHARES = {
    "policies": 0.31,
    "releases": 0.43,
    "command lines": 0.12,
    "tables": 0.06,
    "ledgers": 0.06,
    "ledgers on PostgreSQL": 0.02,
}
"""Which share of all draws each kind has; together they are 1."""

MOST_MORE = 5000
"""How many more are drawn at most, until one was answered and one refused."""

TOLD = 25
"""How many faults of a kind are told."""

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
"""A text that is alone in its class."""
SECRET_NUMBER = 918_273_645
"""A number that is alone in its class."""
_SHOWN = ("zanzibar", "918273645", "918,273,645", "918_273_645", "9.18273645")

ROWS: list[tuple[Any, ...]] = [
    *(("f", 30, "Basel", "flu", "x"), ("f", 30, "Basel", "cold", "y"), ("m", 41, "Bern", "flu", "")),
    *(("m", 41, "Bern", "cold", "z"), ("m", SECRET_NUMBER, SECRET, SECRET, SECRET)),
]
COLUMNS = ("sex", "age", "city", "illness", "note")
TABLE = "\n".join(",".join(map(str, row)) for row in (COLUMNS, *ROWS)) + "\n"


def rules(names: tuple[str, ...] = COLUMNS, metrics: tuple[str, ...] = ("k_anonymity",)) -> dict[str, Any]:
    """Return a policy for five columns: three QIDs, a sensitive attribute and another."""
    limits = {"t_closeness": ("at_most", 0.2), "prosecutor_risk_max": ("at_most", 0.5)}
    return {
        "qidguard": 1,
        "name": "clinic",
        "roles": {
            "quasi_identifiers": list(names[:3]),
            "sensitive": list(names[3:4]),
            "insensitive": list(names[4:]),
        },
        "thresholds": [dict([("metric", name), limits.get(name, ("at_least", 2))]) for name in metrics],
    }


JUDGED = rules(metrics=("k_anonymity", "distinct_l_diversity", "t_closeness"))


def shows_a_value(said: str) -> bool:
    """Return whether a text shows a value that is alone in its class, in any spelling.

    Example:
        >>> shows_a_value("the value ZANZIBAR-7F"), shows_a_value("5 records")
        (True, False)
    """
    folded = said.casefold()
    return any(shown in folded for shown in _SHOWN)


def generated(kind: str, act: Callable[[Mutator, int], str | None]) -> tuple[int, int]:
    """Act on so many draws of a kind, each of a seed that its fault is found again by.

    Return how many were answered, and how many refused with an error of ours; at least one is either, for
    which more are drawn where a seed needs them.

    What an act returns is looked through for values; so is what an error says with all that it is raised
    from, as a log would show it.
    """
    refused, faults = 0, list[str]()
    number = max(20, int(TOTAL * SHARES[kind]))
    for i in itertools.count():
        if i >= number and (0 < refused < i or i >= number + MOST_MORE):
            break
        seed = SEED * 1_000_003 + i
        said = None
        try:
            said = act(Mutator(seed), i)
        except QidguardError as error:
            said = _as_logged(error)
            refused += 1
        except Exception as error:  # noqa: BLE001 - any other is a fault, told with the rest
            faults.append(f"seed {seed}: {type(error).__name__} {error}\n{traceback.format_exc(limit=-4)}")
        if said is not None and (shows_a_value(said) or "please report it" in said):
            faults.append(f"seed {seed}: it says {said}")
    assert not faults, f"{len(faults)} faults\n\n" + "\n\n".join(faults[:TOLD])
    answered = i - refused
    print(f"{kind}: {answered} answered, {refused} refused")  # noqa: T201 - the count of a long run
    assert answered > 0 < refused
    return answered, refused


def _as_logged(error: BaseException) -> str:
    """Return what each error of a chain says that a traceback would show; the lines of code say nothing."""
    said = []
    shown: traceback.TracebackException | None = traceback.TracebackException.from_exception(error)
    while shown is not None:
        said += shown.format_exception_only()
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
    return "".join(said)
