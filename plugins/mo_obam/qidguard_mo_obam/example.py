"""A table small enough to check by hand."""

import numpy as np

from qidguard_mo_obam.problem import ClusteringProblem


def four_persons() -> ClusteringProblem:
    """Return ages 30, 30, 40 and 50 of f, f, m and f, with one sensitive attribute: a, b, a, a."""
    return ClusteringProblem(
        combination=np.array([0, 0, 1, 2]),
        records=np.array([2, 1, 1]),
        persons=np.array([2, 1, 1]),
        numbers=np.array([[30.0], [40.0], [50.0]]),
        codes=np.array([[1], [2], [1]]),
        values=(3,),
        is_integral=np.array([True]),
        number_weight=np.array([1.0]),
        code_weight=np.array([1.0]),
        deviation=276.0,
        sensitive=(np.array([[0, 1, 1], [0, 1, 0], [0, 1, 0]]),),
        names=("age", "sex"),
        sensitive_codes=(np.array([1, 2, 1, 1]),),
    )
