"""Full-domain generalization on Adult, on a million records, on deep hierarchies, and a published package."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from deep_hierarchies import Held, donors
from in_turns import counting, distances, in_turns

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
MOST = {"k": (8, 18), "l": (4.5, 35), "t": (3.5, 18)}
"""Processor time on Adult in yardsticks of distances, and on a million in plain counts of all classes."""
DEEP = {
    "precision": ({"k": 5, "most_suppressed": 0.0, "loss": "precision"}, None, 2.5, 49),
    "precision, 5 % suppressed": ({"k": 5, "most_suppressed": 0.05, "loss": "precision"}, None, 35, 724),
    "ncp, 2 % suppressed": ({"k": 5, "most_suppressed": 0.02}, None, 16, 405),
    "geometric loss, 2 % suppressed": (
        {"k": 5, "most_suppressed": 0.02, "loss": "geometric_loss"}, None, 20, 541,
    ),
    "t": ({"k": 5, "t": 0.2, "most_suppressed": 0.0, "loss": "precision"}, None, 3, 37),
    "t and entities": ({"k": 5, "t": 0.2, "most_suppressed": 0.0, "loss": "precision"}, "person", 7, 38),
    "t and entities, 2 % suppressed": (
        {"k": 5, "t": 0.2, "most_suppressed": 0.02, "loss": "precision"}, "person", 190, 776,
    ),
}  # fmt: skip
"""What is asked, the column of persons, time in yardsticks of distances, nodes that are looked at."""
ASKED = {"k": {"k": 5}, "l": {"k": 5, "l": 2.0}, "t": {"k": 5, "t": 0.2}}


@pytest.fixture(scope="module")
def adult(data):
    """Return the nine columns of the ARX version, and the hierarchies of eight of them."""
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.engines.duckdb.engine import ENGINE
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
    """Return what is done."""
    from qidguard.core.parameter import bind
    from qidguard.sdk import AnonymizationTask
    from qidguard_standard.anonymizers.full_domain import FullDomain

    records, trees = table
    task = AnonymizationTask(
        combinations=(tuple(trees),), entity=entity, sensitive=sensitive, seed=0, hierarchies=trees
    )
    return FullDomain().anonymize(records, bind(FullDomain.parameters, asked), task)


def told(done):
    """Return the loss in the notes."""
    return float(done.notes[1].rpartition(" ")[2])


@pytest.mark.parametrize("asked", sorted(ASKED))
def test_adult(adult, figures, asked):
    """30,162 × 8, k = 5, at most 2 % suppressed: the optimum at NCP ≤ .344; l and t take little longer."""
    done = anonymized(adult, ASKED[asked])
    yardstick, seconds = in_turns(distances, lambda: anonymized(adult, ASKED[asked]))
    ratio = seconds / yardstick
    figures(seconds=seconds, ratio=ratio, ncp=told(done), suppressed=float((~done.kept).mean()))
    if asked == "k":
        assert told(done) <= 0.344
    assert ratio <= MOST[asked][0]


@pytest.mark.parametrize("asked", sorted(ASKED))
def test_a_million_records(million, figures, asked):
    """The same at 1M × 8, each in some counts of classes."""
    (records, trees), done = million, []
    counted, seconds = in_turns(
        counting(pd.DataFrame(records.codes(tuple(trees)))),
        lambda: done.append(anonymized(million, ASKED[asked])),
        repeats=1,
    )
    [done], ratio = done, seconds / counted
    figures(
        seconds=seconds, counted=counted, ratio=ratio, ncp=told(done), suppressed=float((~done.kept).mean())
    )
    assert ratio <= MOST[asked][1]


@pytest.mark.untimed
def test_against_a_published_package(adult, data, tmp_path, figures, in_own_process):
    """Anjana on the same table and hierarchies with 2 %: its output measured by the same loss as ours."""
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.engines.duckdb.engine import ENGINE
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
    done = anonymized(adult, ASKED["k"])
    figures(
        peer_s=peer["seconds"],
        peer_ncp=ncp,
        peer_records=peer["records"],
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
    arguments, entity, most, nodes = DEEP[asked]
    sensitive = ("ill",) if "t" in arguments else ()
    done = []
    yardstick, spent = in_turns(
        distances,
        lambda: done.append(anonymized(deep, arguments, entity=entity, sensitive=sensitive)),
        repeats=1,
    )
    [done], ratio = done, spent / yardstick
    checked = int(done.notes[1].split()[1].replace(",", ""))
    figures(cpu_s=spent, ratio=ratio, checked=checked, loss=told(done))
    assert checked <= 1.2 * nodes
    assert ratio <= most
