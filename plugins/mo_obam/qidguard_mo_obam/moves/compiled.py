"""Functions that numba compiles where it is there; without it they run as they stand, slower."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar, cast

from qidguard.sdk import UserError

Plain = TypeVar("Plain", bound=Callable[..., Any])

VARIABLE = "QIDGUARD_KERNEL"
"""The environment variable that names a kernel, ``numpy`` or ``numba``; without it numba, if it is there."""


def _uses_numba() -> bool:
    """Whether the moves run as machine code."""
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", "numpy", "numba"}:
        raise UserError(f"{VARIABLE} is numpy or numba, not {asked!r}; set one of these or none")
    return asked != "numpy" and find_spec("numba") is not None


USES_NUMBA = _uses_numba()
"""Decided once, when the moves are imported."""


def compiled(function: Plain) -> Plain:
    """Compile for any thread to run freely; the machine code is kept for the next process where it can be."""
    if not USES_NUMBA:
        return function
    from numba import njit

    try:
        return cast("Plain", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder can be written to
        return cast("Plain", njit(nogil=True)(function))


def compiled_within(function: Plain) -> Plain:
    """Compile for compiled functions alone to call: entries from Python would take a third more time to make.

    What calls it keeps its machine code too.
    """
    if not USES_NUMBA:
        return function
    from numba import njit

    # no type stub names the last two
    options: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("Plain", njit(**options)(function))
