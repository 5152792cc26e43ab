"""A made-up series: months in which people come, leave and change, and an anonymizer that keeps groups."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from plugged import host_with
from qidguard.anonymizing.protocol import EarlierPersons
from qidguard.host import Host
from qidguard.sdk import Anonymized, NotMeasurable, Recoded
from releases import policy

K = 3


class GroupsKept:
    """Keeps every group whole: who shares a trajectory is published as one, and leaves k at a time."""

    name = "groups_kept"
    title = "a test's way to keep groups"
    parameters = ()
    needs_last_values = True

    def __init__(self, k: int = K) -> None:
        self.k = k
        self.seen: list[EarlierPersons | None] = []

    def anonymize(self, records: Any, _: Any, task: Any) -> Anonymized:
        """Return one class a trajectory, and newcomers in classes of k."""
        self.seen.append(task.earlier)
        earlier = task.earlier or EarlierPersons.of_first(records.records)
        ages = records.column("age")
        persons = records.column("person")
        order = np.array([persons.texts[code] for code in persons.codes])
        group = np.full(records.records, -1)
        pool = np.flatnonzero((earlier.trajectory < 0) & (earlier.gone == 0))
        pool = pool[np.lexsort((order[pool], ages.numbers[ages.codes[pool]]))]
        for at, row in enumerate(pool if len(pool) >= self.k else ()):
            group[row] = min(at // self.k, len(pool) // self.k - 1)
        newest = int(group.max()) + 1
        for trajectory in np.unique(earlier.trajectory[earlier.trajectory >= 0]):
            mine = np.flatnonzero(earlier.trajectory == trajectory)
            group[self._shown(mine, earlier, int((earlier.missing == trajectory).sum()))] = newest
            newest += 1
        if not (group >= 0).any():
            raise NotMeasurable("nobody can be shown")
        return self._published(records, group)

    def _shown(self, mine: np.ndarray, earlier: EarlierPersons, missing: int) -> np.ndarray:
        here, left = mine[earlier.gone[mine] == 0], mine[earlier.gone[mine] > 0]
        if not earlier.is_in_last[mine].any():
            # who left with a batch comes back with one
            return here if len(here) >= self.k and self._may_go(len(left) + missing) else here[:0]
        if self._may_go(len(left) + missing) and (len(here) >= self.k or not len(here)):
            return here
        return mine

    def _may_go(self, persons: int) -> bool:
        return persons == 0 or persons >= self.k

    def _published(self, records: Any, group: np.ndarray) -> Anonymized:
        columns = {}
        for name in ("age", "sex"):
            column = records.column(name)
            texts = np.array([column.texts[code] or "" for code in column.codes])
            values: list[str] = []
            codes = np.zeros(records.records, dtype=np.int32)
            for number in range(int(group.max()) + 1):
                mine = group == number
                codes[mine] = number
                values.append("-".join(sorted({min(texts[mine]), max(texts[mine])})) if mine.any() else "")
            columns[name] = Recoded(codes=codes, values=tuple(values))
        return Anonymized(kept=group >= 0, columns=columns)


def host(anonymizer: GroupsKept | None = None) -> Host:
    """Return the installed plugins and the anonymizer."""
    return host_with(anonymizers=[anonymizer or GroupsKept()])


def rules(*, k: int = K, **series: Any) -> dict[str, Any]:
    """Return a policy under which a series goes on, leavers by a column or by a state."""
    metrics = ("k_anonymity", "intersection_k_anonymity", "differencing_k_anonymity")
    return policy(
        thresholds=[{"metric": metric, "at_least": k} for metric in metrics],
        remedy={"anonymizer": "groups_kept"},
        series=series,
        release={"data_set": "people", "keep_order": True},
    )


def moment(month: int) -> datetime:
    """Return the moment of a month's release, the months counted from 0."""
    return datetime(2026 + month // 12, month % 12 + 1, 20, 12, tzinfo=UTC)


def months(
    persons: int, count: int, *, turnover: float = 0.03, seed: int = 7, source: pd.DataFrame | None = None
) -> Iterator[pd.DataFrame]:
    """Yield each month's table: who is here, who left and when; some change their age, some come back.

    Persons are made up, or are the rows of a ``source`` that has an age.
    """
    chance = np.random.default_rng(seed)
    shuffled = None if source is None else source.sample(frac=1, random_state=seed)

    def _made(first: int, number: int) -> dict[str, Any]:
        ids = [f"p{i:05}" for i in range(first, first + number)]
        if shuffled is None:
            return {"person": ids, "name": ids} | _made_up(chance, number)
        rows = shuffled.iloc[first : first + number]
        return {"person": ids} | {name: rows[name].to_numpy() for name in rows}

    table = pd.DataFrame(_made(0, persons)).assign(left_on=None, came_on="2025-12-01")
    moving = max(1, round(persons * turnover))
    for month in range(count):
        if month:
            day = moment(month).strftime("%Y-%m-10")
            here = np.flatnonzero(table["left_on"].isna())
            table.loc[chance.choice(here, moving, replace=False), "left_on"] = day
            away = np.flatnonzero(table["left_on"].notna() & (table["left_on"] != day))
            table.loc[away[:1], "left_on"] = None
            here = np.flatnonzero(table["left_on"].isna())
            table.loc[chance.choice(here, 2, replace=False), "age"] += 1
            more = pd.DataFrame(_made(len(table), moving)).assign(left_on=None, came_on=day)
            table = pd.concat([table, more], ignore_index=True).astype({"left_on": object})
        yield table.copy()


def present(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of a source that keeps nobody who left, and no days."""
    return table[table["left_on"].isna()].drop(columns=["left_on", "came_on"]).reset_index(drop=True)


def _made_up(chance: np.random.Generator, number: int) -> dict[str, Any]:
    return {
        "age": chance.integers(20, 80, number),
        "sex": chance.choice(["f", "m"], number),
        "illness": chance.choice(["flu", "asthma", "none"], number),
    }
