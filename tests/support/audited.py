"""A small table and a policy that it passes, for tests of whole audits."""

import pandas as pd

TABLE = pd.DataFrame(
    {
        "sex": ["f", "f", "f", "m", "m", "m"],
        "age": [30, 30, 30, 41, 41, 41],
        "illness": ["flu", "cough", "flu", "flu", "cough", "acne"],
        "visit": [1, 2, 3, 4, 5, 6],
    }
)

REST = ["visit", "illness"]


def policy(**changes: object) -> dict[str, object]:
    """Return a policy that TABLE passes."""
    fields: dict[str, object] = {
        "qidguard": 1,
        "name": "p",
        "roles": {
            "quasi_identifiers": ["sex", "age"],
            "sensitive": ["illness"],
            "insensitive": ["visit"],
        },
        "thresholds": [
            {"metric": "k_anonymity", "at_least": 3},
            {"metric": "distinct_l_diversity", "at_least": 2},
        ],
    }
    return fields | changes


def threshold(metric: str, **changes: object) -> dict[str, object]:
    """Return thresholds with one of a metric."""
    return {"thresholds": [{"metric": metric, **changes}]}


def roles(**changes: object) -> dict[str, object]:
    """Return the roles of the passing policy with changes."""
    given = policy()["roles"]
    assert isinstance(given, dict)
    return {"roles": given | changes}
