"""Plain k-anonymity: the same k-member kernel over all quasi-identifiers and the whole table."""

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import (
    ColumnValues,
    NotMeasurable,
    Original,
    PublishedValue,
    Recoded,
    interval_text,
)
from qidguard_hybrid_dp.clusters.generalizing import generalized, published
from qidguard_hybrid_dp.clusters.k_member import plain_k_member
from qidguard_hybrid_dp.clusters.kinds import Categorical, Numeric
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.trial import PLAIN, CaseTrial

SUPPRESSED = "*"
"""What a cell is published as of which nothing is told."""


def plain(case: PrivacyCase, k: int) -> CaseTrial:
    """Return plain k-anonymity of a case: what the scheme is held against at the same k.

    k-member (Byun, Kamra, Bertino & Li 2007) sees every quasi-identifier, numbers by distance. A cluster
    publishes categories at their lowest common level and numbers as the interval from least to largest.

    Args:
        case: The table.
        k: Records in the smallest cluster.
    """
    start = perf_counter()
    try:
        labels = plain_k_member(
            [_column(case, name) for name in case.qids], k=k, seed=case.seed, step=case.task(k).progress.step
        )
    except NotMeasurable as reason:
        return CaseTrial(method=PLAIN, settings="", k=k, done=None, reason=str(reason))
    clustered = perf_counter() - start
    categories = [_category(case, name) for name in case.categorical]
    levels = generalized(categories, labels, np.zeros(int(labels.max()) + 1, dtype=np.bool_))
    columns = published(categories, labels, levels, SUPPRESSED)
    for name in case.numeric:
        columns[name] = intervals(case.records.column(name), labels)
    seconds = {"clusters": clustered, "generalization": perf_counter() - start - clustered}
    return CaseTrial.of(case, k, PLAIN, columns, seconds)


def _column(case: PrivacyCase, name: str) -> Categorical | Numeric:
    if name not in case.bounds:
        return _category(case, name)
    values = case.records.column(name)
    return Numeric(name=name, codes=values.codes, numbers=np.asarray(values.numbers, dtype=np.float64))


def _category(case: PrivacyCase, name: str) -> Categorical:
    values = case.records.column(name)
    return Categorical(name=name, codes=values.codes, hierarchy=case.hierarchies[name])


def intervals(values: ColumnValues, labels: NDArray[np.int64]) -> Recoded:
    """Return a column of numbers as the interval from the least to the largest number of the cluster.

    A cluster with a missing number publishes the mark; one of missing numbers alone stays missing.

    Args:
        values: The column.
        labels: Shape (records,), the cluster of each record, 0..clusters − 1.
    """
    clusters = int(labels.max()) + 1
    least, largest = _span(values.codes, labels, clusters)
    pairs, place = np.unique(np.stack([least, largest]), axis=1, return_inverse=True)
    values_of: list[PublishedValue] = []
    for low, high in pairs.T.tolist():
        if low == high:
            values_of.append(Original(low))
        elif low == 0:
            values_of.append(SUPPRESSED)
        else:
            values_of.append(interval_text(str(values.texts[low]), str(values.texts[high])))
    return Recoded(codes=place.ravel()[labels], values=tuple(values_of))


def _span(
    codes: NDArray[np.int32], labels: NDArray[np.int64], clusters: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    least = np.full(clusters, np.iinfo(np.int32).max, dtype=np.int32)
    largest = np.full(clusters, -1, dtype=np.int32)
    np.minimum.at(least, labels, codes)
    np.maximum.at(largest, labels, codes)
    return least, largest
