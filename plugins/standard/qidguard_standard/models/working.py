"""Work: many models on many splits, in threads, to be interrupted."""

import os
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from qidguard.sdk import Progress
from qidguard_standard.models.material import Material
from qidguard_standard.models.training import Scores, Split, trained

_LOOK_SECONDS = 0.1
"""How often it is asked whether to stop."""

Pair = tuple[Scores, Scores]
"""The scores of what learned from original and from published records."""


def trained_on_all(
    material: Material,
    models: tuple[str, ...],
    parts: tuple[Split, ...],
    *,
    with_importance: bool,
    progress: Progress | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> list[list[Pair]]:
    """Return for each model the scores on each split; the threads change nothing of them.

    Example:
        >>> from qidguard_standard.models.example import two_tables
        >>> from qidguard_standard.models.material import material
        >>> from qidguard_standard.models.training import splits
        >>> made = material(two_tables(), "income", ("age",))
        >>> one = splits(made.labels, repeats=1, test_share=0.3, sample=0, seed=0)
        >>> trained_on_all(made, ("decision_tree",), one, with_importance=False)[0][0][1].accuracy
        1.0
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it publishes no types

    total = len(models) * len(parts)
    # one thread each inside of the linear algebra: its sums must not depend on how many there are
    with warnings.catch_warnings(), threadpool_limits(1), ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        # to stop after so many rounds is part of what a model is; filters hold for all threads
        warnings.simplefilter("ignore", ConvergenceWarning)
        work = [
            [pool.submit(trained, material, model, part, with_importance=with_importance) for part in parts]
            for model in models
        ]
        left: set[Future[Pair]] = {future for row in work for future in row}
        try:
            while left:
                if progress is not None:
                    progress.step("model utility", total - len(left), total)
                done, left = wait(left, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                _stop_if(is_interrupted())
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        if progress is not None:
            progress.step("model utility", total, total)
        return [[future.result() for future in row] for row in work]


def _stop_if(is_interrupted: bool) -> None:  # noqa: FBT001 - it reads like a sentence
    if is_interrupted:
        raise KeyboardInterrupt
