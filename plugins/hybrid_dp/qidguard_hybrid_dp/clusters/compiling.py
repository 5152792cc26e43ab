"""The growth of clusters compiled before it is needed, while progress is told."""

from collections.abc import Callable
from threading import Thread

import numpy as np

from qidguard_hybrid_dp.clusters.categorical import WHOLE_LOSS
from qidguard_hybrid_dp.clusters.compiled_growth import CompiledGrowth
from qidguard_hybrid_dp.clusters.kinds import CombinationKinds, KindPeople, KindValues

_COMPILED: list[bool] = []
"""Not empty once all is compiled."""


def compile_all(told: Callable[[], None]) -> None:
    """Compile in a thread of its own, once a process, while ``told`` is called each half second."""
    if _COMPILED:
        return
    thread = Thread(target=_rehearse, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.5)
        told()


def _rehearse() -> None:
    """Run everything once on two combinations; machine code is made for types, not for tables."""
    none = np.zeros(0, dtype=np.int64)
    starts = np.zeros(3, dtype=np.int64)
    kinds = CombinationKinds(
        values=KindValues(
            codes=np.array([[0, 1], [2, 3]], dtype=np.int32),
            starts=np.array([0, 2, 4]),
            groups=np.array([[0, 1, 0, 1], [0, 0, 0, 0]], dtype=np.int32),
            losses=np.array([[0, 0, 0, 0], [WHOLE_LOSS] * 4]),
            numbers=np.zeros(4, dtype=np.int64),
            is_numeric=np.zeros(2, dtype=np.bool_),
        ),
        people=KindPeople(
            records=np.ones(2, dtype=np.int64),
            persons=np.ones(2, dtype=np.int64),
            who_starts=starts,
            who=none,
            sensitive_starts=starts,
            sensitive=none,
            attribute=none,
        ),
    )
    growth, free = CompiledGrowth(kinds, 2, 1), np.arange(2)
    growth.grown(free, growth.farthest(free, 0))
    spans = np.zeros((1, 2, 2), dtype=np.int64)
    one = np.ones(1, dtype=np.int64)
    growth.lowest_rises((spans, one, one), free, np.zeros(2, dtype=np.int64), lambda _: None)
    growth.losses_with(spans, 0)
    growth.homes((spans, one, one.copy()), free, 1)
    _COMPILED.append(True)
