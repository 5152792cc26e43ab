"""A front of one solution, for the examples in this package's documentation."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.trials.pareto.pareto_front import ParetoFront


def front_example() -> "ParetoFront":
    """Return what Mondrian makes of four records."""
    import pandas as pd

    from qidguard.trials.pareto.run import pareto

    table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
    policy = {
        "qidguard": 1,
        "name": "example",
        "roles": {"quasi_identifiers": ["age", "sex"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    }
    return pareto(table, policy=policy, anonymizer="mondrian", seed=0)
