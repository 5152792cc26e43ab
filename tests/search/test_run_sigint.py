import signal
import subprocess
import sys

import pytest

SCRIPT = """
import itertools, pandas as pd
from qidguard.engines.duckdb import ENGINE
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.search.questions import questions_of
from qidguard.search.run import run_search
from qidguard.sdk import Objective, Term
from qidguard.host import load_host

COLUMNS = [f"c{i:02d}" for i in range(16)]

class Endless:
    name, title, parameters = "endless", "Endless", ()

    def search(self, problem, arguments, seed):
        for size in itertools.cycle(range(1, 17)):
            for some in itertools.combinations(COLUMNS, size):
                problem.evaluate([frozenset(some)])
                print("evaluated", flush=True)

host = load_host()
frame = pd.DataFrame({name: [(i * j) % (j + 2) for i in range(3000)] for j, name in enumerate(COLUMNS)})
objective = Objective(name="k", title="k", terms=(Term(metric="k_anonymity", weight=-1.0),))
with ENGINE.open(frame, ReadOptions(), Needs(columns=tuple(COLUMNS)), EngineSettings()) as table:
    figures = questions_of(objective, lambda name: (host.metric(name), "plugin"), {})
    found = run_search(SubsetMeasurer(table, COLUMNS, figures), objective, Endless(), candidates=COLUMNS)
    print("found", found.stopped_by.value, found.evaluations > 0, found.best.own_fitness, flush=True)
"""


@pytest.mark.slow
def test_a_real_ctrl_c_gives_the_best_seen():
    """A signal in the middle of an endless search: it ends with a result, not with a traceback."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        for _ in range(20):
            assert running.stderr.readline() == "evaluated\n"  # where a plugin's output goes
        running.send_signal(signal.SIGINT)
        said, faults = running.communicate(timeout=250)
    last = said.splitlines()[-1].split()
    assert last[:3] == ["found", "interrupted", "True"], faults
    assert -3000.0 <= float(last[3]) <= -1.0
    assert running.returncode == 0
