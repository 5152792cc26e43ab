"""Work on blocks side by side, on as many threads as there are processors."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

import numpy as np

from qidguard import Progress
from qidguard_standard.anonymisers.clustering.classes import ClassRule
from qidguard_standard.anonymisers.clustering.members import members

if TYPE_CHECKING:
    from numpy.typing import NDArray


def over_blocks(
    blocks: "NDArray[np.int64]",
    rule: ClassRule,
    inside: "Callable[[NDArray[np.int64], ClassRule], NDArray[np.int64]]",
    progress: Progress,
    title: str,
) -> "NDArray[np.int64]":
    """Return the class of each point, formed block by block.

    Args:
        blocks: Shape (points,), the block of each point, 0..blocks − 1.
        rule: What classes have to keep, in the order of points.
        inside: Gives the points of a block, ascending, their classes, numbered from 0.
        progress: Hears how many blocks are done.
        title: What the work is called there.

    Returns:
        Shape (points,), numbered from 0, block after block.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> over_blocks.__name__
        'over_blocks'
    """
    by_block = members(blocks)
    parts = np.split(by_block.order, by_block.starts[1:])
    found: list[NDArray[np.int64] | None] = [None] * len(parts)
    progress.step(title, 0, len(parts))
    with ThreadPoolExecutor(
        max_workers=os.process_cpu_count() if hasattr(os, "process_cpu_count") else None
    ) as pool:
        work = {pool.submit(inside, part, rule.of(part)): at for at, part in enumerate(parts)}
        try:
            for done, future in enumerate(as_completed(work), start=1):
                found[work[future]] = future.result()
                progress.step(title, done, len(parts))
        except BaseException:
            # whoever stopped this waits for the blocks that are begun and no others
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    classes, count = np.empty(len(blocks), dtype=np.int64), 0
    for part, own in zip(parts, found, strict=True):
        if own is not None:
            classes[part] = own + count
            count += int(own.max()) + 1
    return classes
