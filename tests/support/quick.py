"""Which cases of a test run for every save."""

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_slow(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Return the cases; the first ``quick`` run for every save, and the others are slow."""
    found = list(cases)
    rest = (one if isinstance(one, tuple) else (one,) for one in found[quick:])
    return [*found[:quick], *(pytest.param(*one, marks=pytest.mark.slow) for one in rest)]
