"""Whether clusters differ in what is published of them, where as many are asked for exactly."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable
from qidguard_mo_obam.asked import Asked
from qidguard_mo_obam.loss import centers_of
from qidguard_mo_obam.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray


def differ(problem: Problem, assignment: "NDArray[np.int64]", asked: Asked) -> bool:
    """Return whether there are n_C centers that all differ; True where they are not asked for exactly."""
    if not asked.is_exact:
        return True
    centers = centers_of(problem, assignment)
    is_null = np.isnan(centers.numbers)
    shown = np.column_stack([np.where(is_null, 0.0, centers.numbers) + 0.0, is_null, centers.codes])
    return len(np.unique(shown, axis=0)) == asked.n_c


def require_different(problem: Problem, assignment: "NDArray[np.int64]", asked: Asked) -> None:
    """Raise NotMeasurable where two clusters would be published alike and so be one class."""
    if not differ(problem, assignment, asked):
        raise NotMeasurable(
            f"{asked.n_c} clusters of k = {asked.k} whose centers all differ were not found, and clusters"
            " with equal centers are published as one class; lower n_c or k, or leave exactly out"
        )
