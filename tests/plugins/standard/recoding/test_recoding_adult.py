"""Local recoding and local suppression on Adult, with the hierarchies that come with it."""

from itertools import combinations

import pandas as pd
import pytest

from qidguard.anonymizing.records import SnapshotRecords
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import AnonymizationTask, Original, load_hierarchy
from qidguard_standard.anonymizers.recoding.column_levels import column_levels
from qidguard_standard.anonymizers.recoding.local_recoding import LocalRecoding
from qidguard_standard.anonymizers.recoding.local_suppression import LocalSuppression

pytestmark = pytest.mark.realdata
QIDS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


@pytest.fixture(scope="module")
def adult_records(data):
    """Return Adult's 30,162 records and its hierarchies."""
    source = data / "adult" / "adult_arx.csv"
    with ENGINE.snapshot(source, ReadOptions(delimiter=";"), EngineSettings()) as snapshot:
        records = SnapshotRecords(snapshot, "*")
        folder = data / "adult" / "hierarchies"
        yield records, {name: load_hierarchy(folder / f"{name}.csv", records.column(name)) for name in QIDS}


def published(records, done):
    """Return what is published as a frame of texts."""
    columns = {}
    for name in QIDS:
        values = records.column(name)
        shown, codes = list(values.texts), values.codes
        if name in done.columns:
            recoded = done.columns[name]
            shown = [values.texts[v.code] if isinstance(v, Original) else v for v in recoded.values]  # noqa: PD011 - no frame
            codes = recoded.codes
        columns[name] = [shown[code] for code in codes[done.kept]]
    return pd.DataFrame(columns)


def ncp(records, hierarchies, done):
    """Return the loss of the published labels, each at the coarsest level that has the label."""
    lost = 0.0
    for name, recoded in done.columns.items():
        levels = column_levels(records.column(name), hierarchies[name])
        of_label = {}
        for level, number in enumerate(levels.numbers[1:], start=1):
            for code, group in enumerate(hierarchies[name].groups[number]):
                of_label[hierarchies[name].labels[number][group]] = levels.loss[level, code]
        each = [0.0 if isinstance(v, Original) else of_label[v] for v in recoded.values]  # noqa: PD011 - no frame
        lost += sum(each[code] for code in recoded.codes) / len(recoded.codes)
    return lost / len(QIDS)


@pytest.mark.slow
@pytest.mark.parametrize(("l", "most"), [(0, 0.055), (2, 0.12)])
def test_local_recoding_keeps_k_of_5_at_a_small_loss(adult_records, l, most):  # noqa: E741 - the field's name
    """Nothing is suppressed, NCP is below .055, and below .12 with two salary classes in each class."""
    records, hierarchies = adult_records
    task = AnonymizationTask(
        combinations=(QIDS,), entity=None, sensitive=("salary-class",), seed=0, hierarchies=hierarchies
    )
    done = LocalRecoding().anonymize(records, bind(LocalRecoding.parameters, {"k": 5, "l": l}), task)
    assert done.kept.all()
    frame = published(records, done)
    assert frame.value_counts().min() >= 5
    salary = pd.Series(records.column("salary-class").codes)
    assert salary.groupby([frame[name] for name in QIDS]).nunique().min() >= max(l, 1)
    assert ncp(records, hierarchies, done) <= most


@pytest.mark.slow
@pytest.mark.parametrize(("known", "most"), [(2, 5_000), (3, 28_000), (8, 34_000)])
def test_local_suppression_reaches_k_of_5_for_every_set_of_qids(adult_records, known, most):
    """Every set of 2, 3 and 8 QIDs, of 241,296 cells at most so many suppressed."""
    records, _ = adult_records
    sets = tuple(combinations(QIDS, known))
    task = AnonymizationTask(combinations=sets, entity=None, sensitive=("salary-class",), seed=0)
    done = LocalSuppression().anonymize(records, bind(LocalSuppression.parameters, {"k": 5}), task)
    frame = published(records, done)
    for columns in sets:
        sizes = frame.groupby(list(columns)).size()
        assert sizes.min() >= 5
    assert int((frame == "*").to_numpy().sum()) <= most
    assert (~done.kept).mean() <= 0.01
