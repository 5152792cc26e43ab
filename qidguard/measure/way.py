"""Ways: how one batch of sets is measured."""

from dataclasses import dataclass

from qidguard.measure.lattice.kernel import Kernel
from qidguard.measure.plan import Path


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
