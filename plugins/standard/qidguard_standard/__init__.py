"""The standard privacy models and risk measures.

Beside its metrics it offers SUDA scores for every record and column:

    >>> import pandas as pd, qidguard
    >>> from qidguard_standard import suda_scores
    >>> table = pd.DataFrame({"sex": ["f", "f", "m"], "age": [30, 31, 30]})
    >>> with qidguard.audit(table) as found:
    ...     scores = suda_scores(found.table, ("sex", "age"), max_size=2)
    >>> [round(share, 1) for share in scores.column_contribution]
    [66.7, 66.7]

Which columns, values and records they come from, for the eyes of those who hold the table:

    >>> from qidguard_standard import suda_contributions
    >>> suda_contributions(table, ("sex", "age")).by_column.round(1).to_numpy().tolist()
    [['age', 66.7], ['sex', 66.7]]
"""

from qidguard_standard.metrics.suda import SudaScores, suda_scores
from qidguard_standard.suda import SudaContributions, suda_contributions

__all__ = ["SudaContributions", "SudaScores", "suda_contributions", "suda_scores"]
