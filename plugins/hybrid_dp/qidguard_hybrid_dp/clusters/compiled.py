"""Whether clusters grow in NumPy or as machine code; both give the same labels."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar, cast

from qidguard.sdk import UserError

Plain = TypeVar("Plain", bound=Callable[..., Any])

VARIABLE = "QIDGUARD_KERNEL"
"""The environment variable that names a kernel, ``numpy`` or ``numba``; without it numba, if it is there."""


FEWEST_KINDS = 2048
"""Combinations from which on machine code is worth the seconds that a first user waits for it."""


def uses_numba(kinds: int) -> bool:
    """Whether clusters of so many distinct combinations grow as machine code."""
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", "numpy", "numba"}:
        raise UserError(f"{VARIABLE} is numpy or numba, not {asked!r}; set one of these or none")
    if find_spec("numba") is None:
        return False
    return asked == "numba" or (not asked and kinds >= FEWEST_KINDS)


def compiled(function: Plain) -> Plain:
    """Compile for any thread to run freely; the machine code is kept for the next process where it can be."""
    from numba import njit

    try:
        return cast("Plain", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder can be written to
        return cast("Plain", njit(nogil=True)(function))
