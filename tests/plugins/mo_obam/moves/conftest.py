"""The moves as they stand: tables of a few rows are done long before numba would have compiled anything."""

import os

VARIABLE = "QIDGUARD_KERNEL"

_asked = os.environ.get(VARIABLE)
os.environ[VARIABLE] = "numpy"
from qidguard_mo_obam.moves import annealing, compiled  # noqa: E402, F401 - decided at the import

del os.environ[VARIABLE]
if _asked is not None:
    os.environ[VARIABLE] = _asked
# what is compiled for compiled callers alone ends the process where Python calls it
assert compiled.VARIABLE == VARIABLE
assert not compiled.USES_NUMBA
