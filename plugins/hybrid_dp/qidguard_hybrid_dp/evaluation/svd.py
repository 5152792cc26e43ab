"""A stand-in for SVD3DR: a low-rank picture of the table with noise, read back as a table."""

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Original, PublishedValue, Recoded, published_number
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.trial import SVD, CaseTrial

SHARE = 0.9
"""Of the squared singular values so much is kept."""
NOISE = 0.1
"""Standard deviation of the noise on each coordinate, in standard deviations of that coordinate."""


def svd_stand_in(case: PrivacyCase, k: int) -> CaseTrial:
    """Return a truncated singular value decomposition with noise: our stand-in for SVD3DR.

    The paper compares with SVD3DR and does not define it. Here categories are one-hot, numbers standardized;
    the leading coordinates that hold ``SHARE`` of the squares get Gaussian noise, and each cell is read back
    as the likeliest category or the nearest number within its bounds. It knows no k, nothing is claimed from
    it, and its risk is not measured: nobody says what its attacker knows.
    """
    start = perf_counter()
    blocks, centers = _blocks(case)
    matrix = np.concatenate(blocks, axis=1)
    mean = matrix.mean(axis=0)
    left, singular, right = np.linalg.svd(matrix - mean, full_matrices=False)
    squares = np.cumsum(singular**2)
    rank = int(np.searchsorted(squares, SHARE * squares[-1])) + 1 if squares[-1] > 0 else 1
    draw = np.random.default_rng([case.seed, 5])
    coordinates = left[:, :rank] * singular[:rank]
    coordinates += draw.normal(size=coordinates.shape) * NOISE * coordinates.std(axis=0)
    back = coordinates @ right[:rank] + mean
    columns = {}
    at = 0
    for name, block in zip(case.qids, blocks, strict=True):
        part = back[:, at : at + block.shape[1]]
        at += block.shape[1]
        columns[name] = (
            _number(case, name, part[:, 0], centers[name]) if name in case.bounds else _category(part)
        )
    seconds = {"decomposition": perf_counter() - start}
    return CaseTrial.of(case, k, SVD, columns, seconds, settings=f"rank {rank}", has_mechanism=False)


def _blocks(case: PrivacyCase) -> tuple[list[NDArray[np.float64]], dict[str, tuple[float, float]]]:
    blocks: list[NDArray[np.float64]] = []
    centers = {}
    for name in case.qids:
        column = case.records.column(name)
        if name in case.bounds:
            numbers = np.asarray(column.numbers, dtype=np.float64)[column.codes]
            center, spread = float(np.nanmean(numbers)), float(np.nanstd(numbers)) or 1.0
            centers[name] = center, spread
            blocks.append(np.nan_to_num((numbers - center) / spread)[:, None])
        else:
            blocks.append((column.codes[:, None] == np.arange(len(column.texts))).astype(np.float64))
    return blocks, centers


def _category(part: NDArray[np.float64]) -> Recoded:
    return Recoded(codes=part.argmax(axis=1), values=tuple(Original(code) for code in range(part.shape[1])))


def _number(case: PrivacyCase, name: str, part: NDArray[np.float64], center: tuple[float, float]) -> Recoded:
    low, high = case.bounds[name]
    numbers = np.clip(part * center[1] + center[0], float(low), float(high))
    kind = case.records.column(name).value_type
    values: list[PublishedValue] = [published_number(one, kind) for one in numbers.tolist()]
    distinct = tuple(dict.fromkeys(values))
    place = {value: at for at, value in enumerate(distinct)}
    return Recoded(codes=np.array([place[value] for value in values]), values=distinct)
