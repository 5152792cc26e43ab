"""Which kernel makes MDAV's classes: numpy's, or the one that numba compiles. They make the same."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from qidguard import Progress, UserError
from qidguard_standard.anonymisers.clustering.classes import ClassRule
from qidguard_standard.anonymisers.clustering.mdav_classes import mdav_classes
from qidguard_standard.anonymisers.clustering.space import Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Mdav = Callable[[Space, ClassRule, Progress, str], "NDArray[np.int64]"]

VARIABLE = "QIDGUARD_KERNEL"
"""The environment variable that names a kernel, ``numpy`` or ``numba``; without it the work decides."""

WORTH_COMPILING_SECONDS = 5.0
"""Estimated work in numpy from which the compiled kernel is loaded unasked; compiling takes about as long."""
_SECONDS_CLASS, _SECONDS_POINT = 1e-4, 4e-9


def mdav_kernel(records: int, block: int, k: int) -> Mdav:
    """Return what makes MDAV's classes.

    Args:
        records: Points, of all blocks.
        block: Points of one block, ≥ 1.
        k: Points of a class.

    Returns:
        The compiled kernel where it is asked for or worth it and can be had, else numpy's. The compiled one
        hands whatever is more than k and plain categories to numpy's.

    Units:
        None.

    Raises:
        UserError: When QIDGUARD_KERNEL names neither.

    Example:
        >>> mdav_kernel(100, 100, 5) is mdav_classes or "QIDGUARD_KERNEL" in os.environ
        True
    """
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", "numpy", "numba"}:
        raise UserError(f"{VARIABLE} is numpy or numba, not {asked!r}; set one of these or none")
    seconds = records / max(k, 1) * (_SECONDS_CLASS + 1.5 * block / 2 * _SECONDS_POINT)
    if asked == "numpy" or (not asked and seconds < WORTH_COMPILING_SECONDS) or find_spec("numba") is None:
        return mdav_classes
    try:
        from qidguard_standard.anonymisers.clustering.compiled_mdav import compiled_mdav
    except (ImportError, RuntimeError):
        # RuntimeError: no folder can be written to that the machine code could be kept in
        return mdav_classes

    def run(space: Space, rule: ClassRule, progress: Progress, title: str) -> "NDArray[np.int64]":
        if space.has_tables or not rule.counts_records:
            return mdav_classes(space, rule, progress, title)
        return compiled_mdav(space, rule.wanted.k, progress, title)

    return run
