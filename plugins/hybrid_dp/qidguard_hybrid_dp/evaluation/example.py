"""Small tables for examples and tests: 240 people, and six whose ages are noised and races generalized."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qidguard.sdk import (
    Anonymized,
    Changes,
    Recoded,
    RehearsedTable,
    k_anonymity_task,
    records_of,
    taxonomy_hierarchy,
)


def people(count: int = 240, seed: int = 0) -> pd.DataFrame:
    """Return people with an age, a race, a country, a sex, and an illness that depends on their age.

    Args:
        count: How many, ≥ 1.
        seed: Seeds the draw.
    """
    draw = np.random.default_rng(seed)
    age = draw.integers(20, 61, count)
    return pd.DataFrame(
        {
            "age": age,
            "race": draw.choice(["a", "b", "c", "d"], count, p=[0.84, 0.1, 0.04, 0.02]),
            "country": draw.choice(["n", "o", "p", "q"], count, p=[0.88, 0.06, 0.04, 0.02]),
            "sex": draw.choice(["f", "m"], count),
            "illness": np.where(draw.random(count) < age / 80, "yes", "no"),
        }
    )


def published_by_hand(
    before: Mapping[str, Any],
    changed: Mapping[str, Any],
    qids: Sequence[str],
    *,
    kept: Sequence[bool] | None = None,
    trees: Mapping[str, Mapping[str, object]] | None = None,
) -> RehearsedTable:
    """Return a table beside what is published in place of some of its columns.

    Args:
        before: Column → its values, record by record.
        changed: Column → what is published of each record.
        qids: The quasi-identifiers.
        kept: Which records are published; None for all.
        trees: Column → its taxonomy.
    """
    rows = len(next(iter(before.values())))
    # records in memory stand in an order of their own
    held = records_of(pd.DataFrame({**before, "row": range(rows)}))
    row = held.column("row")
    order = np.asarray(row.numbers)[row.codes].astype(int)
    columns = {}
    for name, values in changed.items():
        distinct = tuple(dict.fromkeys(values))
        codes = np.array([distinct.index(value) for value in values])
        columns[name] = Recoded(codes=codes[order], values=distinct)
    hierarchies = {name: taxonomy_hierarchy(held.column(name), tree) for name, tree in (trees or {}).items()}
    return RehearsedTable(
        before=held,
        task=k_anonymity_task(2, qids, sensitive=(), hierarchies=hierarchies),
        anonymizer="by hand",
        done=Anonymized(kept=np.array(kept or [True] * rows)[order], columns=columns),
        seconds=0.0,
    )


def six_people() -> Changes:
    """Return ages 30 31 32 50 51 52 published as 30 31 32 50 40 60, three of six races as ``*``."""
    before = {"age": [30, 31, 32, 50, 51, 52], "race": ["a", "a", "a", "b", "c", "d"]}
    changed = {"age": [30, 31, 32, 50, 40, 60], "race": ["a", "a", "a", "*", "*", "*"]}
    return published_by_hand(
        before, changed, ["age", "race"], trees={"race": {"*": ["a", "b", "c", "d"]}}
    ).changes
