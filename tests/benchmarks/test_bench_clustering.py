"""Partitioning and clustering on Adult, and on a million records made from it by redrawing values."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from examples import IS_WHOLE
from in_turns import distances, in_turns
from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, ColumnValues, ValueType, class_numbers
from qidguard_standard.anonymizers.clustering import CLUSTERING

pytestmark = [pytest.mark.bench, pytest.mark.realdata, pytest.mark.timeout(900)]

BY_NAME = {anonymizer.name: anonymizer for anonymizer in CLUSTERING}
PEER = (
    "uv",
    "run",
    "--quiet",
    "--no-project",
    "--exclude-newer",
    "2026-11-13",
    "--with",
    "anonypy",
    "python",
)
PUBLISHED = """
    import json, sys, time
    import anonypy
    import pandas as pd
    frame = pd.read_csv(sys.argv[1], sep=";")
    qids, sensitive = list(frame.columns[:8]), frame.columns[8]
    for name in frame.columns:
        if name != "age":
            frame[name] = frame[name].astype("category")
    preserver = anonypy.Preserver(frame, qids, sensitive)
    started = time.perf_counter()
    rows = preserver.anonymize_k_anonymity(k=5)
    seconds = time.perf_counter() - started
    close = preserver.anonymize_t_closeness(k=5, p=0.2)
    print(json.dumps({"seconds": seconds, "rows": rows, "close": close}, default=float))
"""


def frame_of(data, records=None):
    """Return Adult, or records drawn from it of which each value is redrawn with p = 0.1."""
    adult = pd.read_csv(data / "adult" / "adult_arx.csv", sep=";")
    if records is None:
        return adult
    generator = np.random.default_rng(20261113)
    rows, columns = generator.integers(0, len(adult), records), {}
    for name in adult:
        codes, values = pd.factorize(adult[name])
        taken = codes[rows]
        redrawn = generator.random(records) < 0.1
        taken[redrawn] = generator.choice(codes, int(redrawn.sum()))
        columns[name] = np.asarray(values)[taken]
    return pd.DataFrame(columns)


def table_of(frame):
    """Return a frame whose columns are read already."""
    columns = {}
    for name in frame:
        values, codes = np.unique(frame[name].to_numpy(), return_inverse=True)
        is_number = frame[name].dtype.kind == "i"
        columns[name] = ColumnValues(
            name=name,
            value_type=ValueType.INTEGER if is_number else ValueType.TEXT,
            codes=(codes + 1).astype(np.int32),
            texts=(None, *map(str, values)),
            numbers=np.append(np.nan, values.astype(float)) if is_number else None,
        )
    return SimpleNamespace(
        names=tuple(frame),
        records=len(frame),
        column=columns.__getitem__,
        codes=lambda names: (
            np.stack([columns[name].codes for name in names], axis=1)
            if names
            else np.empty((len(frame), 0), dtype=np.int32)
        ),
    )


@pytest.fixture(scope="module")
def adult(data):
    """Return Adult, its columns read."""
    return table_of(frame_of(data))


@pytest.fixture(scope="module")
def million(data):
    """Return a million records, their columns read."""
    return table_of(frame_of(data, 1_000_000))


def work(table, name, *, seed=0, **arguments):
    """Return a function that anonymizes."""
    anonymizer = BY_NAME[name]
    sensitive = tuple(one for one in table.names if one == "salary-class")
    qids = tuple(one for one in table.names if one not in sensitive)
    task = AnonymizationTask(combinations=(qids,), entity=None, sensitive=sensitive, seed=seed)
    bound = bind(anonymizer.parameters, {"k": 5, **arguments})
    return lambda: anonymizer.anonymize(table, bound, task)


def losses(table, done):
    """Return NCP of the value sets of classes, and their squared error as a share of the table's."""
    classes = class_numbers(np.stack([done.columns[name].codes for name in table.names[:8]], axis=1))
    sizes, ncp, within, whole = np.bincount(classes), [], 0.0, 0.0
    for name in table.names[:8]:
        column = table.column(name)
        codes, span = column.codes.astype(np.int64), len(column.texts)
        cells, times = np.unique(classes * span + codes, return_counts=True)
        first = np.flatnonzero(np.append(True, np.diff(cells // span) > 0))
        if column.numbers is None:
            width = (np.diff(np.append(first, len(cells))) - 1) / (span - 2)
            within += len(codes) - np.maximum.reduceat(times, first).sum()
            whole += len(codes) - np.bincount(codes).max()
        else:
            values = column.numbers[cells % span]
            width = np.maximum.reduceat(values, first) - np.minimum.reduceat(values, first)
            width /= np.ptp(column.numbers[1:])
            numbers = column.numbers[codes] / column.numbers[codes].std()
            means = np.bincount(classes, weights=numbers) / sizes
            within += ((numbers - means[classes]) ** 2).sum()
            whole += len(codes)
        ncp.append((width * sizes).sum() / len(codes))
    return float(np.mean(ncp)), float(within / whole)


@pytest.mark.parametrize(
    ("name", "arguments", "most", "most_ncp"),
    [
        ("mondrian", {}, 5, 0.032),
        ("mondrian", {"look_ahead": 1}, 2.5, 0.032),
        ("mondrian", {"is_strict": False}, 4, 0.06),
        ("mdav", {}, 40, 0.035),
        ("mdav", {"distance": "loss"}, 60, 0.025),
        ("v_mdav", {}, 170, 0.035),
        ("k_member", {}, 160, 0.02),
        ("blocks", {}, 22, 0.025),
        ("blocks", {"inside": "k_member"}, 60, 0.02),
    ],
)
def test_adult(adult, name, arguments, most, most_ncp, figures):
    """Adult 30,162 × 8, k = 5, columns read: time in yardsticks of distances, and losses."""
    anonymize = work(adult, name, **arguments)
    ncp, error = losses(adult, anonymize())
    # what takes seconds is timed once, and the way that is quick thrice
    yardstick, seconds = in_turns(distances, anonymize, repeats=1 if name in {"v_mdav", "k_member"} else 3)
    ratio = seconds / yardstick
    figures(name=name, **arguments, seconds=seconds, ratio=ratio, ncp=ncp, within_class_error=error)
    assert ratio <= most
    assert ncp < most_ncp


def test_a_million_records(million, figures):
    """1M × 8, k = 5: time in yardsticks of distances; blocks lose at most half of what Mondrian does."""
    found = {}
    for label, name, arguments, most in (
        ("mondrian", "mondrian", {}, 50),
        ("mondrian, no look-ahead", "mondrian", {"look_ahead": 1}, 28),
        ("blocks", "blocks", {}, 300),
        ("blocks, k-member", "blocks", {"inside": "k_member"}, 800),
    ):
        anonymize, done = work(million, name, **arguments), []
        yardstick, seconds = in_turns(distances, lambda: done.append(anonymize()), repeats=1)  # noqa: B023 - now
        found[label], ratio = losses(million, done[0]), seconds / yardstick
        figures(
            method=label, seconds=seconds, ratio=ratio, ncp=found[label][0],
            within_class_error=found[label][1],
        )  # fmt: skip
        assert ratio <= most
    assert found["blocks, k-member"][0] < 0.5 * found["mondrian"][0]
    assert found["blocks"][0] < 0.5 * found["mondrian, no look-ahead"][0]


REACHED = {
    "census": {3: 4.78, 4: 6.18, 5: 7.40, 10: 11.5},
    "tarragona": {3: 14.6, 4: 17.1, 5: 20.2, 10: 30.4},
}
"""Within-class squares in percent of the table's that are asked for, every column standardized."""
NEARLY = 1.005
"""Tarragona comes to 17.13 where 17.1 is asked for k = 4, and is just below for k = 3: chance has a few ‰."""


@pytest.mark.untimed
@pytest.mark.parametrize(("name", "k"), [(name, k) for name, by_k in REACHED.items() for k in by_k])
def test_benchmark_sets_of_microaggregation(data, name, k, figures):
    """Census and Tarragona: the median of three seeds, beside MDAV."""
    values = read(data, name)
    table = numbers_of(values)

    def percent(method, seed=0):
        done = work(table, method, seed=seed, k=k)()
        classes = class_numbers(np.stack([done.columns[name].codes for name in table.names], axis=1))
        sizes, within = np.bincount(classes), 0.0
        assert sizes.min() >= k
        for row in ((values - values.mean(axis=0)) / values.std(axis=0)).T:
            within += ((row - (np.bincount(classes, weights=row) / sizes)[classes]) ** 2).sum()
        return float(100 * within / values.size)

    lost = float(np.median([percent("anneal", seed) for seed in range(3)]))
    figures(name=name, k=k, anneal=lost, mdav=percent("mdav"), asked=REACHED[name][k])
    assert lost <= NEARLY * REACHED[name][k]


def test_annealing(data, figures):
    """Census with k = 10, the slowest of these sets, takes at most 170 yardsticks of distances."""
    table = numbers_of(read(data, "census"))
    # what is compiled is made before the clock runs
    work(table, "anneal", k=10, effort=0.01)()
    yardstick, seconds = in_turns(distances, work(table, "anneal", k=10), repeats=1)
    figures(seconds=seconds, ratio=seconds / yardstick)
    assert seconds <= 170 * yardstick


def read(data, name):
    """Return the numbers of a benchmark set of microaggregation."""
    return np.loadtxt(data / "microaggregation" / f"{name}.csv", delimiter=",", skiprows=1)


def numbers_of(values):
    """Return columns of numbers that are read already."""
    columns = {}
    for at, column in enumerate(values.T):
        known, codes = np.unique(column, return_inverse=True)
        columns[f"c{at}"] = ColumnValues(
            name=f"c{at}",
            value_type=ValueType.NUMBER,
            codes=(codes + 1).astype(np.int32),
            texts=(None, *map(str, known)),
            numbers=np.append(np.nan, known),
        )
    return SimpleNamespace(
        names=tuple(columns),
        records=len(values),
        column=columns.__getitem__,
        codes=lambda names: np.array([columns[name].codes for name in names]).reshape(-1, len(values)).T,
    )


@pytest.mark.untimed
def test_anonypy(data, tmp_path, figures, in_own_process):
    """The published Mondrian of anonypy on some of Adult: it loses more, and is far from the t asked for."""
    frame = frame_of(data).sample(None if IS_WHOLE else 6_000, frac=1 if IS_WHOLE else None, random_state=1)
    frame.to_csv(tmp_path / "adult.csv", sep=";", index=False)
    adult, peer = table_of(frame), in_own_process(PUBLISHED, str(tmp_path / "adult.csv"), python=PEER)
    ncp = _ncp_of_rows(adult, peer["rows"])
    asked = _largest_distance(adult, peer["close"])
    ours = work(adult, "mondrian", t=0.2)()
    figures(anonypy_s=peer["seconds"], anonypy_ncp=ncp, anonypy_t_when_asked_for_0_2=asked)
    assert {claim.metric: claim.limit.value for claim in ours.guarantees}["t_closeness"] == 0.2
    assert asked > 0.2
    assert losses(adult, work(adult, "mondrian")())[0] < ncp


def _ncp_of_rows(table, rows):
    total = records = 0.0
    for row in rows:
        for name in table.names[:8]:
            column = table.column(name)
            cell = row[name][0] if isinstance(row[name], list) else row[name]
            if column.numbers is None:
                lost = (len(str(cell).split(",")) - 1) / (len(column.texts) - 2)
            else:
                low, _, high = str(cell).partition("-")
                lost = (float(high or low) - float(low)) / np.ptp(column.numbers[1:])
            total += lost * row["count"] / 8
        records += row["count"]
    return total / records


def _largest_distance(table, rows):
    name = table.names[8]
    column = table.column(name)
    shares = dict(zip(column.texts[1:], np.bincount(column.codes)[1:] / table.records, strict=True))
    classes = {}
    for row in rows:
        cells = classes.setdefault(json.dumps([row[qid] for qid in table.names[:8]]), {})
        cells[row[name]] = cells.get(row[name], 0) + row["count"]
    return max(
        sum(max(count / sum(cells.values()) - shares[value], 0.0) for value, count in cells.items())
        for cells in classes.values()
    )
