"""Work: many models on many splits, in threads, to be interrupted."""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event, Lock
from typing import Any

from qidguard.sdk import Progress
from qidguard_learning.material import Material
from qidguard_learning.scoring import Scores, trained
from qidguard_learning.splits import LearningDesign, splits

_LOOK_SECONDS = 0.1
"""How often it is asked whether to stop."""

Row = tuple[Scores, ...]
"""The scores of what learned from original records, and from those of each table."""


def trained_on_all(
    materials: Sequence[Material],
    models: Sequence[str],
    design: LearningDesign,
    seed: int,
    *,
    progress: Progress | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> list[list[Row]]:
    """Return for each model the scores on each split of the seed; the threads change nothing of them.

    Example:
        >>> from qidguard_learning.example import two_tables
        >>> from qidguard_learning.material import material
        >>> made = material(two_tables(), "income", ("age",))
        >>> trained_on_all([made], ["decision_tree"], LearningDesign(repeats=1), 0)[0][0][1].accuracy
        1.0
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it publishes no types

    parts = splits(materials[0].labels, design, seed)
    total = len(models) * len(parts)
    stopped = Event()
    # one thread each inside of the linear algebra: its sums must not depend on how many there are
    with _unwarned(), threadpool_limits(1), ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        # split by split, so that what works alone has others beside it
        work = {
            (model, at): pool.submit(trained, materials, model, part, design, stopped.is_set)
            for at, part in enumerate(parts)
            for model in models
        }
        left: set[Future[Row]] = set(work.values())
        try:
            while left:
                if progress is not None:
                    progress.step("model utility", total - len(left), total)
                done, left = wait(left, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                _stop_if(is_interrupted())
        except BaseException:
            stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        if progress is not None:
            progress.step("model utility", total, total)
        return [[work[model, at].result() for at in range(len(parts))] for model in models]


@contextmanager
def _unwarned() -> Iterator[None]:
    """Silence that a model stopped after its rounds, which is part of what it is.

    Filters are the whole process's, so one call sets and resets them at a time. While a forest has them
    emptied a warning is shown, so it is silenced there too.
    """
    from sklearn.exceptions import ConvergenceWarning

    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        show = warnings.showwarning

        def shown(message: Warning | str, category: type[Warning], *given: Any, **more: Any) -> None:
            if not issubclass(category, ConvergenceWarning):
                show(message, category, *given, **more)

        warnings.showwarning = shown
        yield


_FILTERS = Lock()


def _stop_if(is_interrupted: bool) -> None:  # noqa: FBT001 - it reads like a sentence
    if is_interrupted:
        raise KeyboardInterrupt
