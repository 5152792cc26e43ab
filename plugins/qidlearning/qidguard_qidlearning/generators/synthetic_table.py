"""The paper's synthetic table: 10,000 records of 11 columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

ROLES = 3
"""Columns that are no attribute to search: the sensitive one, the target and the treatment."""
FEWEST_COLUMNS = ROLES + 2


@dataclass(frozen=True, kw_only=True)
class SyntheticTable:
    """A synthetic table and the roles of its columns.

    Args:
        frame: The table.
        attributes: Its numeric and categorical attributes, in the table's order.
        sensitive: The sensitive attribute.
        target: The target.
        treatment: The treatment, 0 or 1.
        seed: What it was made with.
    """

    frame: pd.DataFrame
    attributes: tuple[str, ...]
    sensitive: str
    target: str
    treatment: str
    seed: int


def synthetic_table(records: int = 10_000, columns: int = 11, seed: int = 0) -> SyntheticTable:
    """Return a synthetic table: numeric and categorical attributes, a sensitive one, a target, a treatment.

    Simões et al. 2025 (sections 4.2, 4.4) measure the metrics on a synthetic table of 10,000 samples and 11
    attributes and say no more about it; this is ours. Two hidden factors run through it, so that attributes
    lean on each other as real ones do: numeric attributes are rounded to 5, 10, 20, … steps, categorical ones
    hold 2, 3, 4, … values, of which the first is the most frequent. Of at least 5 columns the last three are
    ``sensitive``, ``target`` and ``treatment``; the same seed gives the same table.
    """
    if records < 1 or columns < FEWEST_COLUMNS:
        raise ValueError(
            f"a synthetic table needs a record and {FEWEST_COLUMNS} columns, not {records} and {columns}"
        )
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((records, 2))
    frame: dict[str, object] = {}
    for number in range(columns - ROLES):
        rank, is_category = number // 2 + 1, number % 2 == 1
        leaning = rng.uniform(-1, 1, 2)
        score = (factors @ leaning + rng.standard_normal(records)) / np.sqrt(1 + leaning @ leaning)
        if is_category:
            frame[f"category_{rank}"] = _category(score, values=rank + 1)
        else:
            steps = 5 * 2 ** (rank - 1) if rank < 7 else 320  # noqa: PLR2004 - beyond, every record is alone
            frame[f"number_{rank}"] = np.round(score * steps / 6).astype(np.int64)
    attributes = tuple(frame)
    ill = _category(factors[:, 0] + rng.standard_normal(records), values=5)
    treated = rng.random(records) < 1 / (1 + np.exp(-factors[:, 1]))
    gain = factors[:, 0] + 0.8 * treated + rng.standard_normal(records)
    frame |= {
        "sensitive": ill,
        "target": np.digitize(gain, [-0.5, 1.0]),
        "treatment": treated.astype(np.int64),
    }
    return SyntheticTable(
        frame=pd.DataFrame(frame),
        attributes=attributes,
        sensitive="sensitive",
        target="target",
        treatment="treatment",
        seed=seed,
    )


def _category(score: "np.ndarray[tuple[int], np.dtype[np.float64]]", *, values: int) -> "pd.Series[Any]":
    """Cut a score into values of which each is less frequent than the one before."""
    shares = 1 / np.arange(1, values + 1)
    cuts = np.quantile(score, np.cumsum(shares / shares.sum())[:-1])
    names = np.array([f"value {i + 1}" for i in range(values)])
    return pd.Series(names[np.digitize(score, cuts)], dtype="str")
