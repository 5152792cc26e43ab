"""Series of releases for tests: tables of persons, and anonymizers that keep one in the plainest ways."""

import numpy as np
import pandas as pd

from plugged import Doing
from qidguard.anonymizing.protocol import NEVER_SHOWN
from qidguard.sdk import Anonymized, Parameter, Recoded

QIDS = ("age", "sex")


def people(number: int) -> pd.DataFrame:
    """Return so many persons: p0, p1, …, aged 20 to 59, of two sexes by turns."""
    at = np.arange(number)
    return pd.DataFrame(
        {"person": [f"p{i}" for i in at], "age": 20 + at % 40, "sex": np.where(at % 2, "f", "m")}
    )


def rules(k: int = 3, **roles: object) -> dict[str, object]:
    """Return a policy over both columns, which follows persons by their column."""
    return {
        "qidguard": 1,
        "name": "series",
        "roles": {"quasi_identifiers": list(QIDS), "entity": "person", **roles},
        "thresholds": [{"metric": "k_anonymity", "at_least": k}],
    }


def all_alike(kept: np.ndarray) -> Anonymized:
    """Return the kept records in a single class."""
    one = Recoded(codes=np.zeros(len(kept), dtype=np.int32), values=("*",))
    return Anonymized(kept=kept, columns=dict.fromkeys(QIDS, one))


def publish_everybody(_, __, task) -> Anonymized:
    """Show who is there and nobody else, in a single class."""
    return all_alike(task.earlier.gone == 0)


def publish_the_first(_, __, task) -> Anonymized:
    """Show those of the first release for ever, whoever of them left, and nobody else."""
    earlier = task.earlier
    return all_alike(earlier.trajectory != NEVER_SHOWN if earlier.releases else earlier.gone == 0)


STAYS = (
    Parameter(name="leavers_stay", type=str, meaning="releases, or until_k"),
    Parameter(name="newcomers_wait", type=int, default=3, minimum=0, meaning="releases"),
)


def keeper(do=publish_the_first, name="keeper", **more):
    """Return an anonymizer for a series that does what a function says."""
    return Doing(do, name=name, needs_last_values=True, **{"parameters": STAYS, **more})
