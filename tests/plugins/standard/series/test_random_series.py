"""Whatever persons do, a series of kept groups isolates nobody, and keeps what its policy says."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidguard.sdk import NotMeasurable
from qidguard_standard.anonymizers.series.kept_groups import KeptGroups
from series_stream import Stream

SERIES = st.fixed_dictionaries(
    {
        "k": st.integers(2, 10),
        "seed": st.integers(0, 2**32),
        "leavers_stay": st.sampled_from([0, 1, 3, "until_k"]),
        "newcomers_wait": st.integers(0, 3),
        "first_groups": st.sampled_from([1.0, 1.5, 3.0]),
        "l": st.sampled_from([0, 0, 2]),
        "records": st.sampled_from([1, 1, 3]),
        "knows_exits": st.booleans(),
        "has_visits": st.booleans(),
    }
)


class Town:
    """People who come, leave, return, change and are erased."""

    def __init__(self, seed, first, records):
        self.draw = np.random.default_rng(seed)
        self.records = records
        self.gone: dict[int, int] = {}
        self.waited: dict[int, int] = {}
        self.values: dict[int, np.ndarray] = {}
        self.exits: dict[int, int] = {}
        self.visits: dict[int, int] = {}
        self.arrive(first)

    def arrive(self, count):
        """Let some people come."""
        for one in range(len(self.values), len(self.values) + count):
            records = int(self.draw.integers(1, self.records + 1))
            self.values[one] = self.draw.integers(0, [60, 3, 3], (records, 3))
            self.gone[one], self.waited[one] = 0, 0
            self.visits[one] = one % 3
            self.exits[one] = int(self.draw.integers(-1, 5))

    def month(self, shown_ever):
        """Let a month pass."""
        for one in list(self.gone):
            chance = self.draw.random()
            if self.gone[one]:
                self.gone[one] = 0 if chance < 0.1 else self.gone[one] + 1
                if chance > 0.97:
                    del self.gone[one]  # erased: no record is left
            elif chance < 0.12 or self.exits[one] == 0:
                self.gone[one] = 1
            elif chance < 0.2:
                self.values[one][:, 0] = self.draw.integers(0, 60)
            if one in self.gone and not self.gone[one]:
                self.visits[one] = (self.visits[one] + (chance > 0.9)) % 4
            self.waited[one] += one not in shown_ever
            self.exits[one] = max(self.exits[one] - 1, -1)
        self.arrive(int(self.draw.integers(0, 12)))

    def table(self, *, knows_exits):
        """Return columns, and of each record its person, gone, waited and exit."""
        who = [one for one in self.gone for _ in self.values[one]]
        cells = np.concatenate([self.values[one] for one in self.gone])
        columns = {"age": cells[:, 0], "sex": cells[:, 1].astype(str), "ill": cells[:, 2].astype(str)}
        columns["visits"] = np.array([self.visits[one] for one in who])
        columns["who"] = np.array(who)
        exits = [self.exits[one] for one in who] if knows_exits else None
        return columns, who, [self.gone[one] for one in who], [self.waited[one] for one in who], exits


@settings(deadline=None)
@given(SERIES)
def test_nobody_is_isolated_stale_or_waiting_beyond_the_policy(drawn):
    """Each trajectory is shared by k; who is past a limit is gone; who waited enters where k wait."""
    held = dict(drawn)
    seed, records, knows_exits = (held.pop(name) for name in ("seed", "records", "knows_exits"))
    visits = ("visits",) if held.pop("has_visits") else ()
    held["sensitive_changes"] = "never"
    k, limit = held["k"], held["leavers_stay"]
    town = Town(seed, 12 * k, records)
    series = Stream(anonymizer=KeptGroups(), arguments=held, qids=("age", "sex", *visits), sensitive=("ill",))
    series.entity, series.held = "who", visits
    for _ in range(6):
        columns, who, gone, waited, exits = town.table(knows_exits=knows_exits)
        was_shown = set(series.trajectory)
        try:
            done = series.release(columns, who, gone, waited, exits)
        except NotMeasurable:
            break
        assert series.smallest >= k
        gone, is_kept = np.array(gone), done.kept
        if limit != "until_k":
            assert gone[is_kept].max() <= limit
        new = {p for p, days in zip(who, gone, strict=True) if p not in was_shown and not days}
        late = {p for p in new - series.last if town.waited[p] >= held["newcomers_wait"]}
        if len(new) >= k and not held["l"] and not visits:
            assert late == set()
        assert not {p for p, days in zip(who, gone, strict=True) if p not in was_shown and days} & series.last
        assert "visits" not in done.columns
        classes = done.columns["age"].codes * 1000 + done.columns["sex"].codes
        classes += 1_000_000 * (columns["visits"] if visits else 0)
        for one in set(classes[is_kept].tolist()):
            inside = is_kept & (classes == one)
            assert len(set(columns["who"][inside])) >= k
            assert len(set(columns["ill"][inside])) >= held["l"]
        town.month(series.trajectory)


def series_of(seed):
    """Return what four releases of a random series publish, as text."""
    town = Town(seed, 60, 3)
    arguments = {"k": 4, "leavers_stay": 1, "first_groups": 2.0, "sensitive_changes": "never", "l": 2}
    series = Stream(anonymizer=KeptGroups(), arguments=arguments, qids=("age", "sex"), sensitive=("ill",))
    series.entity = "who"
    said = []
    for _ in range(4):
        columns, who, gone, waited, exits = town.table(knows_exits=False)
        done = series.release(columns, who, gone, waited, exits)
        codes = [done.columns[name].codes.tolist() for name in series.qids]
        said.append(f"{done.kept.tolist()} {codes} {done.notes}")
        town.month(series.trajectory)
    return "\n".join(said)


@pytest.mark.slow
def test_a_fresh_process_comes_to_the_same():
    """Another process with other hashes publishes the same series."""
    here = Path(__file__)
    paths = [str(here.parent), str(here.parents[3] / "support")]
    code = f"import sys; sys.path[:0] = {paths!r}; from {here.stem} import series_of; print(series_of(7))"
    environment = {**os.environ, "PYTHONHASHSEED": "5"}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert found.stdout.strip() == series_of(7)


def test_the_order_of_records_decides_nothing():
    """A release of shuffled records, where no two persons agree, keeps and groups the same persons."""
    draw = np.random.default_rng(3)
    ages, gone = draw.permutation(90), (draw.random(90) < 0.2) * 2
    arguments = {"k": 4, "leavers_stay": 1, "first_groups": 2.0, "newcomers_wait": 0}
    shown = []
    for order in (np.arange(90), draw.permutation(90)):
        series = Stream(anonymizer=KeptGroups(), arguments=arguments, qids=("age",))
        series.release({"age": ages[:60]}, list(range(60)), [0] * 60)
        # numbers of trajectories go by who is met first
        series.trajectory = {int(p): series.trajectory[int(p)] for p in order if p < 60}
        done = series.release({"age": ages[order]}, order.tolist(), gone[order])
        codes = np.where(done.kept, done.columns["age"].codes, -1)
        groups = {}
        for person, code in zip(order.tolist(), codes.tolist(), strict=True):
            groups.setdefault(code, set()).add(person)
        shown.append((sorted(groups.pop(-1)), sorted(map(sorted, groups.values()))))
    assert shown[0] == shown[1]
