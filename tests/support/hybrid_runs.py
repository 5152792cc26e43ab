"""The hybrid scheme run on a small table, with what it made on the way."""

from unittest.mock import patch

import numpy as np
import pandas as pd

from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Original, records_of
from qidguard_hybrid_dp.anonymizer import HybridDp
from qidguard_hybrid_dp.asked import asked_of
from qidguard_hybrid_dp.run import HybridRun
from qidguard_hybrid_dp.workflow import run_workflow

QIDS = ("age", "pay", "race", "sex", "flag")
BOUNDS = {"age": [0, 120], "pay": [0, 100]}
METHOD = HybridDp()


def table(records=60, seed=0):
    """Return records with a rare race, missing cells of each kind, a Boolean and a sensitive attribute."""
    random = np.random.default_rng(seed)
    age = pd.array(random.integers(18, 80, records), dtype="Int64")
    age[3] = None
    race = random.choice(["White"] * 17 + ["Black", "Asian", "Other"], records).astype(object)
    race[5] = None
    return pd.DataFrame(
        {
            "row": np.arange(records),
            "person": [f"p{i // 2:03d}" for i in range(records)],
            "age": age,
            "pay": np.round(random.random(records) * 100, 1),
            "race": race,
            "sex": random.choice(["f", "m"], records),
            "flag": random.integers(0, 2, records).astype(bool),
            "illness": random.choice(["x", "y", "z"], records),
        }
    )


def task_of(**more):
    """Return a rehearsal's task over all QIDs."""
    given = {"combinations": (QIDS,), "entity": None, "sensitive": ("illness",), "seed": 3} | more
    return AnonymizationTask(**given, is_rehearsal=True)


_HELD = {}


def held_of(frame):
    """Return the records of a table, read once."""
    written = frame.to_csv()
    if written not in _HELD:
        _HELD[written] = records_of(frame)
    return _HELD[written]


def run(frame, task=None, **options):
    """Return records, answer and what it was made of; race is pattern-friendly unless somebody says else."""
    if not {"pattern_friendly", "public_membership"} & options.keys():
        options["pattern_friendly"] = {"race": True}
    arguments = bind(METHOD.parameters, {"k": 3, "bounds": BOUNDS, **options})
    task = task or task_of()
    held = held_of(frame)
    with patch("qidguard_hybrid_dp.anonymizer.run_workflow", Kept()) as kept:
        done = METHOD.anonymize(held, arguments, task)
    return held, done, kept.treated


def run_of(held, arguments, task):
    """Return a run of some records."""
    return HybridRun(records=held, asked=asked_of(arguments, task), task=task)


class Kept:
    """Runs the workflow and keeps what it came to."""

    def __call__(self, *given, **more):
        """Return it."""
        self.treated = run_workflow(*given, **more)
        return self.treated


def cells(held, recoded, name):
    """Return what is published of each record, in the order of rows."""
    column = held.column(name)
    values = list(recoded.values)
    shown = [values[code] for code in recoded.codes]
    shown = [column.texts[one.code] if isinstance(one, Original) else one for one in shown]
    row = held.column("row")
    order = np.argsort(row.numbers[row.codes])
    return [shown[at] for at in order]


def published(held, done):
    """Return column → what is published of each record, in the order of rows."""
    return {name: cells(held, recoded, name) for name, recoded in done.columns.items()}


def twice(persons):
    """Return a table in which each person has two records that are the same."""
    frame = pd.concat([table(persons), table(persons)]).reset_index(drop=True)
    frame["row"] = np.arange(2 * persons)
    return frame.assign(person=[f"p{at % persons:02d}" for at in range(2 * persons)])


class Nothing:
    """Draws no noise: what is published is the clamped value on its grid."""

    def draw(self, grid, scale):
        """Return the grid points."""
        return grid
