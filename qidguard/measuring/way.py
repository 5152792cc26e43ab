"""Ways: how one batch of sets is measured, and which kernel makes the steps in memory."""

import os
from dataclasses import dataclass
from importlib.util import find_spec

from qidguard.core.errors import UserError
from qidguard.measuring.cost import Path
from qidguard.measuring.lattice.kernel import Kernel
from qidguard.measuring.lattice.numpy_kernel import NUMPY

VARIABLE = "QIDGUARD_KERNEL"
"""The environment variable that names a kernel, ``numpy`` or ``numba``; without it the work decides."""

WORTH_COMPILING_SECONDS = 10.0
"""Estimated work in memory from which the compiled kernel is loaded unasked.

To load it costs half a second, and to compile it the first time five.
"""

WORTH_THREADS_ROWS = 100_000
"""Distinct rows below which threads cost more than they bring: the steps are too short."""


def chosen_kernel(seconds: float) -> tuple[Kernel, str]:
    """Return the kernel for work of some estimated seconds, and what a plan says of it.

    Every kernel finds the same classes. Where the compiled one cannot be had, numpy's does the work.
    """
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", "numpy", "numba"}:
        raise UserError(f"{VARIABLE} is numpy or numba, not {asked!r}; set one of these or none")
    if asked == "numpy" or (not asked and seconds < WORTH_COMPILING_SECONDS):
        return NUMPY, "kernel numpy"
    if find_spec("numba") is None:
        return NUMPY, "kernel numpy, as numba is not installed"
    try:
        from qidguard.measuring.lattice.compiled_kernel import CompiledKernel
    except (ImportError, RuntimeError):
        # RuntimeError: no folder can be written to that the machine code could be kept in
        return NUMPY, "kernel numpy, as numba cannot be loaded or has no folder to keep its code in"
    return CompiledKernel(), "kernel numba"


def worthwhile_threads(kernel: Kernel, threads: int, rows: int) -> int:
    """Return how many of the threads that are allowed are worth their cost.

    numpy holds the interpreter's lock for much of its steps, so only the compiled kernel takes several.
    """
    return threads if kernel.is_parallel and rows >= WORTH_THREADS_ROWS else 1


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to measure.

    Args:
        path: The path to take.
        kernel: What makes the steps in memory.
        threads: How many threads make them, ≥ 1.
    """

    path: Path
    kernel: Kernel
    threads: int
