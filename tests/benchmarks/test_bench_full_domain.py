"""Full-domain generalization on Adult, on a million records, on deep hierarchies, and a published package."""

import time
from dataclasses import replace

import numpy as np
import pytest

from deep_hierarchies import Held, donors
from machine_speed import at_reference_speed

pytestmark = [pytest.mark.bench, pytest.mark.realdata, pytest.mark.timeout(900)]

PEER = (
    *("uv", "run", "--quiet", "--no-project", "--exclude-newer", "2026-11-13"),
    *("--with", "anjana", "--with", "pandas", "python"),
)
PUBLISHED = """
    import contextlib, io, json, sys, time
    import pandas as pd
    from anjana.anonymity import k_anonymity
    frame = pd.read_csv(sys.argv[1], sep=";")
    qids = [name for name in frame if name != "salary-class"]
    trees = {}
    for name in qids:
        read = pd.read_csv(f"{sys.argv[2]}/{name}.csv", sep=";", header=None)
        trees[name] = {level: read[level].values for level in read}
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        done = k_anonymity(frame, [], qids, 5, 2, trees)
    seconds = time.perf_counter() - started
    done.to_csv(sys.argv[3], index=False)
    print(json.dumps({"seconds": seconds, "records": len(done)}))
"""
SECONDS = {"k": 1.0, "l": 3.0, "t": 3.0}
MILLION_SECONDS = 5.0
DEEP = {
    "precision": ({"k": 5, "most_suppressed": 0.0, "loss": "precision"}, None, 0.05, 49),
    "precision, 5 % suppressed": ({"k": 5, "most_suppressed": 0.05, "loss": "precision"}, None, 1.3, 724),
    "ncp, 2 % suppressed": ({"k": 5, "most_suppressed": 0.02}, None, 0.6, 405),
    "geometric loss, 2 % suppressed": (
        {"k": 5, "most_suppressed": 0.02, "loss": "geometric_loss"}, None, 0.9, 541,
    ),
    "t": ({"k": 5, "t": 0.2, "most_suppressed": 0.0, "loss": "precision"}, None, 0.1, 37),
    "t and entities": ({"k": 5, "t": 0.2, "most_suppressed": 0.0, "loss": "precision"}, "person", 0.3, 38),
    "t and entities, 2 % suppressed": (
        {"k": 5, "t": 0.2, "most_suppressed": 0.02, "loss": "precision"}, "person", 8.0, 776,
    ),
}  # fmt: skip
"""What is asked, the column of persons, seconds on an idle core, and nodes that are looked at."""
ASKED = {"k": {"k": 5}, "l": {"k": 5, "l": 2.0}, "t": {"k": 5, "t": 0.2}}


@pytest.fixture(scope="module")
def adult(data):
    """Return the nine columns of the ARX version, and the hierarchies of eight of them."""
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.engines.duckdb import ENGINE
    from qidguard.sdk import load_hierarchy

    options = ReadOptions(delimiter=";", has_header=True)
    with ENGINE.snapshot(data / "adult" / "adult_arx.csv", options, EngineSettings()) as snapshot:
        columns = {name: snapshot.column(name) for name in snapshot.names}
    qids = [name for name in columns if name != "salary-class"]
    folder = data / "adult" / "hierarchies"
    return Held(columns), {name: load_hierarchy(folder / f"{name}.csv", columns[name]) for name in qids}


@pytest.fixture(scope="module")
def million(adult):
    """Return a million records re-sampled, each QID redrawn from its marginal with p = 0.1."""
    records, trees = adult
    generator = np.random.default_rng(20261113)
    rows = generator.integers(0, records.records, 1_000_000)
    columns = {}
    for name in records.names:
        column = records.column(name)
        codes = column.codes[rows]
        if name in trees:
            redrawn = generator.random(len(rows)) < 0.1
            codes[redrawn] = generator.choice(column.codes, int(redrawn.sum()))
        columns[name] = replace(column, codes=codes)
    return Held(columns), trees


def anonymized(table, asked, *, entity=None, sensitive=("salary-class",)):
    """Return what is done and the wall time."""
    from qidguard.core.parameter import bind
    from qidguard.sdk import AnonymizationTask
    from qidguard_standard.anonymizers.full_domain import FullDomain

    records, trees = table
    task = AnonymizationTask(
        combinations=(tuple(trees),), entity=entity, sensitive=sensitive, seed=0, hierarchies=trees
    )
    started = time.perf_counter()
    done = FullDomain().anonymize(records, bind(FullDomain.parameters, asked), task)
    return done, time.perf_counter() - started


def told(done):
    """Return the loss in the notes."""
    return float(done.notes[1].rpartition(" ")[2])


@pytest.mark.parametrize("asked", sorted(ASKED))
def test_adult(adult, figures, asked):
    """30,162 × 8, k = 5, at most 2 % suppressed: the optimum ≤ 1 s at NCP ≤ .344; with l or t ≤ 3 s."""
    runs = [anonymized(adult, ASKED[asked]) for _ in range(3)]
    seconds = sorted(spent for _, spent in runs)[1]
    done = runs[0][0]
    figures(seconds=seconds, ncp=told(done), suppressed=float((~done.kept).mean()))
    if asked == "k":
        assert told(done) <= 0.344
    # a machine that others work on is given twice the time
    assert at_reference_speed(seconds) <= 2 * SECONDS[asked]


@pytest.mark.parametrize("asked", sorted(ASKED))
def test_a_million_records(million, figures, asked):
    """The same at 1M × 8: ≤ 5 s each."""
    done, seconds = anonymized(million, ASKED[asked])
    figures(seconds=seconds, ncp=told(done), suppressed=float((~done.kept).mean()))
    assert at_reference_speed(seconds) <= 2 * MILLION_SECONDS


@pytest.mark.untimed
def test_against_a_published_package(adult, data, tmp_path, figures, in_own_process):
    """Anjana on the same table and hierarchies with 2 %: its output measured by the same loss as ours."""
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.engines.duckdb import ENGINE
    from qidguard.sdk import read_coverage

    folder, out = data / "adult", tmp_path / "peer.csv"
    peer = in_own_process(
        PUBLISHED, str(folder / "adult_arx.csv"), str(folder / "hierarchies"), str(out), python=PEER
    )
    records, trees = adult
    lost = float((records.records - peer["records"]) * len(trees))
    with ENGINE.snapshot(out, ReadOptions(), EngineSettings()) as snapshot:
        for name, tree in trees.items():
            column = snapshot.column(name)
            read = read_coverage(records.column(name), column, tree, "*")
            lost += float(read.loss[column.codes].sum())
    ncp = lost / (records.records * len(trees))
    done, seconds = anonymized(adult, ASKED["k"])
    figures(
        peer_s=peer["seconds"],
        peer_ncp=ncp,
        peer_records=peer["records"],
        ours_s=seconds,
        ours_ncp=told(done),
    )
    assert told(done) < ncp


@pytest.fixture(scope="module")
def deep():
    """Return 63,441 generated records of eight columns, zip codes among them, and 45,000 nodes of levels."""
    return donors()


@pytest.mark.parametrize("asked", sorted(DEEP))
def test_deep_hierarchies(deep, figures, asked):
    """ARX took 0.05 s for precision on a table of this shape; nodes say more than a shared clock."""
    arguments, entity, seconds, nodes = DEEP[asked]
    sensitive = ("ill",) if "t" in arguments else ()
    done, _ = anonymized(deep, arguments, entity=entity, sensitive=sensitive)
    started = time.process_time()
    anonymized(deep, arguments, entity=entity, sensitive=sensitive)
    spent = time.process_time() - started
    checked = int(done.notes[1].split()[1].replace(",", ""))
    figures(cpu_s=spent, checked=checked, loss=told(done))
    assert checked <= 1.2 * nodes
    assert spent <= 4 * seconds
