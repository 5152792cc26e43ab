"""Annealing as numba compiles it: the same functions, and so the same classes.

Importing this needs numba, and a folder that it can keep its machine code in. The very first use on a machine
compiles for some seconds; later ones load what was kept.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numba
import numpy as np
from numba import float64, int64, njit

from qidguard.sdk import Progress
from qidguard_standard.anonymizers.clustering import moves, steps
from qidguard_standard.anonymizers.clustering.annealing import Kernel

_MODULES = (moves, steps)
typeof = cast("Callable[..., Any]", numba.typeof)
_NUMBERS, _WHOLE = np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int64)
_MATRIX, _CODES = typeof(_NUMBERS), typeof(_WHOLE)
_ROW, _LIST = typeof(_NUMBERS[0]), typeof(_WHOLE[0])
_POINTS = typeof(moves.Points(_NUMBERS, _WHOLE, _WHOLE[0], _WHOLE[0], _WHOLE[0]))
_CLASSES = typeof(moves.MovableClasses(_WHOLE[0], _WHOLE[0], _NUMBERS, _WHOLE, _WHOLE[0], _WHOLE[0], _WHOLE))
_VALUES = typeof(
    moves.Values(
        *(_WHOLE, _NUMBERS[0], _WHOLE, _WHOLE[0], _WHOLE, _WHOLE, _WHOLE, _WHOLE[0], _WHOLE, _WHOLE[0])
    )
)
_TABLE = (_POINTS, _CLASSES, _VALUES)

_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "apart": (_MATRIX, _MATRIX, int64, int64),
    "crossing": (_MATRIX, _MATRIX, int64, int64, int64, int64, float64),
    "shift": (_MATRIX, _MATRIX, _LIST, int64, int64, int64),
    "cross": (_MATRIX, _MATRIX, int64, int64, int64, int64, float64, float64),
    "relink": (_CODES, _LIST, _LIST, int64, int64),
    "alike": (_CODES, _CODES, _LIST, int64, int64, int64),
    "joining": (_VALUES, int64, int64),
    "leaving": (_VALUES, int64, int64),
    "replaced": (_VALUES, int64, int64, int64, int64),
    "exchanging": (_VALUES, int64, int64, int64, int64),
    "may_leave": (_VALUES, int64, int64),
    "may_replace": (_VALUES, int64, int64, int64),
    "has_enough": (_VALUES, int64),
    "recount": (_VALUES, int64),
    "refresh": _TABLE,
    "move": (*_TABLE, int64, int64),
    "undo": (*_TABLE, int64),
    "dissolved": (*_TABLE, int64, float64, int64),
    "founded": (*_TABLE, int64, float64),
    "anneal": (*_TABLE, float64, _ROW, _LIST),
    "descend": (*_TABLE, int64, int64, float64, int64),
}
"""Each function and the types of its arguments, behind those that it calls."""


def compiled_kernel(progress: Progress) -> Kernel:
    """Return the compiled functions, made one by one; RuntimeError where no folder can keep them."""
    made: dict[str, Any] = {}
    text = b"".join(Path(str(module.__file__)).read_bytes() for module in _MODULES)
    version = sha256(text).hexdigest()[:12]
    for done, (name, types) in enumerate(_FUNCTIONS.items()):
        progress.step("compiling", done, len(_FUNCTIONS))
        plain = next(getattr(module, name) for module in _MODULES if hasattr(module, name))
        # the same code, which finds compiled functions by the names that it calls
        own = FunctionType(plain.__code__, {**plain.__globals__, **made}, name, plain.__defaults__)
        # what is kept of a function holds those that it calls: it is named by the text of all
        own.__qualname__, own.__module__ = f"{name}_{version}", plain.__module__
        made[name] = njit(cache=True, nogil=True)(own)
        made[name].compile(types)
    progress.step("compiling", len(_FUNCTIONS), len(_FUNCTIONS))
    return Kernel(refresh=made["refresh"], anneal=made["anneal"], descend=made["descend"])
