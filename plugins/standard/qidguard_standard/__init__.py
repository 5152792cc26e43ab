"""The standard privacy models and risk measures.

Beside its metrics it offers SUDA scores for every record and column:

    >>> import pandas as pd, qidguard
    >>> from qidguard_standard import suda_scores
    >>> table = pd.DataFrame({"sex": ["f", "f", "m"], "age": [30, 31, 30]})
    >>> with qidguard.audit(table) as found:
    ...     scores = suda_scores(found.table, ("sex", "age"), max_size=2)
    >>> [round(share, 1) for share in scores.column_contribution]
    [66.7, 66.7]
"""

from qidguard_standard.metrics.suda_scores import SudaScores, suda_scores

__all__ = ["SudaScores", "suda_scores"]
