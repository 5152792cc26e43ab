"""A small plan that docstrings show."""

from qidguard_series.plan import SeriesPlan
from qidguard_series.planning import plan_series


def small_plan() -> SeriesPlan:
    """Return what comes of a method that looks at no earlier release, on eight persons.

    Example:
        >>> [way.is_had for way in small_plan().ways]
        [False]
    """
    import pandas as pd

    table = pd.DataFrame({"age": [30, 31, 32, 33, 50, 51, 52, 53], "sex": list("ffffmmmm")})
    policy = {
        "qidguard": 1,
        "name": "example",
        "roles": {"quasi_identifiers": ["age", "sex"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 4}],
    }
    return plan_series(table, policy=policy, leave=0.13, come=0.13, releases=2, anonymizer="mondrian", seed=0)
