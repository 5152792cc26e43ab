"""A rehearsal in memory comes to what the way of a release publishes, for every installed anonymizer."""

import re
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from plugged import Doing, chosen
from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.run import run_on
from qidguard.core.choice import Choice
from qidguard.core.errors import DeclarationError, UnreachableError
from qidguard.core.parameter import bind
from qidguard.core.spelling import Normalized, Spelling
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    NotMeasurable,
    Original,
    Recoded,
    ValueType,
    automatic_hierarchy,
    k_anonymity_task,
    records_of,
    rehearse,
)

METHODS = {
    "anneal": ("[effort=0.05]", "[effort=0.05, publish=sets]"),
    "blocks": ("[block_size=4, inside=mdav, publish=means]", ""),
    "full_domain": ("",),
    "k_member": ("",),
    "kept_groups": ("[leavers_stay=until_k, sensitive_changes=never]",),
    "local_recoding": ("",),
    "local_suppression": ("[most_suppressed=1.0]",),
    "mdav": ("", "[publish=means]"),
    "mo_obam": ("[n_c=3]", ""),
    "mondrian": ("", "[is_strict=false]"),
    "pram": ("",),
    "pram_sensitive": ("",),
    "rounding": ("[base=income=5000]", "[base=age=7]"),
    "small_class_suppression": ("[k=2, most_suppressed=1.0]",),
    "top_bottom_coding": ("[top=age=40]", "[bottom=age=30]"),
    "v_mdav": ("",),
    "zheng_l_diversity": ("[l=2]",),
}
"""Name → the parameters of a choice; a new anonymizer that draws no noise is added here."""

_BOUNDS = "bounds={age: [0, 120], income: [0, 50000]}"
WITH_NOISE = [f"hybrid_dp[{_BOUNDS}{more}]" for more in ("", ", strict=true", ", scale=unit, t_div=0.5")]
"""What draws noise: a rehearsal of the release draws it by the same seed."""

CHOSEN = [*(name + written for name, choices in METHODS.items() for written in choices), *WITH_NOISE]
FOURTEEN = [25, 25, 30, 31, 31, 34, 40, 41, 47, None, 52, 52, 53, None]
QIDS = ("age", "income", "town")


def test_every_installed_anonymizer_without_noise_is_held_against_the_release():
    """One that is not named above would go unseen."""
    without_noise = [n for n, one in load_host().anonymizers.items() if not hasattr(one, "privacy_guarantee")]
    assert sorted(without_noise) == sorted(METHODS)


def table(ages, seed=0) -> pd.DataFrame:
    """Return records in the order in which they are held in memory: of their values, NULL first."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": pd.array(ages, dtype="Int64")})
    frame["income"] = random.integers(1, 5, len(ages)) * 10_000
    frame["town"] = random.choice(["Ulm", "Bonn", None], len(ages))
    frame["illness"] = random.choice(["x", "y", "z"], len(ages))
    return frame.sort_values(list(frame.columns), na_position="first", ignore_index=True)


@contextmanager
def snapshot_of(source):
    """Yield the records of a private copy, as a release sees them."""
    with ENGINE.snapshot(source, ReadOptions(), EngineSettings(threads=1)) as snapshot:
        yield SnapshotRecords(snapshot, "*")


def the_same_partition(first, second) -> bool:
    """Whether equal codes are at the same places."""
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    return len(pairs) == len(set(first.tolist())) == len(set(second.tolist()))


def assert_alike(rehearsed, released) -> None:
    """Equal published values have equal codes in both, NULL is 0 in both, and texts are the same."""
    assert rehearsed.records == released.records
    for name in released.names:
        ours, theirs = (found.codes((name,))[:, 0] for found in (rehearsed, released))
        assert the_same_partition(ours, theirs), name
        assert ((ours == 0) == (theirs == 0)).all(), name
        ours, theirs = rehearsed.column(name), released.column(name)
        assert the_same_partition(ours.codes, theirs.codes), name
        assert [_text(ours, code) for code in ours.codes] == [_text(theirs, code) for code in theirs.codes]


def _text(column, code):
    """Return a value as text, a number without what its type adds to it."""
    text = column.texts[code]
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def compare(written, source, seed=0):
    """Hold a rehearsal in memory against the release of the same records; return the rehearsal."""
    asked, host = Choice.read(written), load_host()
    anonymizer = host.anonymizer(asked.name)
    method = chosen(anonymizer, bind(anonymizer.parameters, asked.parameters))
    task = k_anonymity_task(2, QIDS, sensitive=["illness"], seed=seed)
    task = replace(task, is_rehearsal=method.draws_noise)
    held = records_of(source)
    with snapshot_of(source) as before:
        assert held.codes(held.names).tolist() == before.codes(before.names).tolist()
        try:
            run = run_on(before, method, task)
        except (DeclarationError, UnreachableError) as reason:
            # what is declared for a column without any value is no mistake of the method
            said = str(reason).rpartition("the policy hold: ")[2].rpartition("declared wrongly: ")[2]
            if isinstance(reason, DeclarationError):
                said = said.partition(";")[0]
            with pytest.raises(NotMeasurable, match=f"{re.escape(said)}|would suppress every record"):
                rehearse(held, written, task)
            return None
        with run.after:
            done = rehearse(held, written, task)
            assert done.kept.tolist() == run.done.kept.tolist()
            assert_alike(done, run.records)
    return done


@pytest.mark.slow
@pytest.mark.parametrize("written", CHOSEN)
def test_the_same_table_by_every_method(written):
    """Each of them publishes something of it."""
    assert compare(written, table(FOURTEEN)) is not None


@pytest.mark.slow
@pytest.mark.parametrize("written", CHOSEN)
@settings(max_examples=examples(20), deadline=None, derandomize=True, database=None)
@given(
    ages=st.lists(st.one_of(st.none(), st.integers(18, 60)), min_size=2, max_size=16),
    seed=st.integers(0, 2**31),
)
def test_any_table(written, ages, seed):
    """Random tables, and refusals too: where a release has no answer, the rehearsal says the same."""
    compare(written, table(ages, seed), seed)


@pytest.mark.slow
def test_a_file_of_texts(tmp_path):
    """A CSV holds texts, which are published as texts; numbers among them stay in their order."""
    path = tmp_path / "table.csv"
    table([9, 10, 30, 31, 31, 34, 40, 41]).to_csv(path, index=False)
    done = compare("mondrian", str(path))
    assert done.column("illness").texts == (None, "x", "y", "z")
    compare("local_suppression[most_suppressed=1.0]", str(path))


MANY = (
    (Original(1), Original(2), "*"),
    (Original(1), 2.5, None),
    (Original(1), 30, 31),
    (Original(0), "[30, 40]", "*"),
    (30, 30.0, True),
)
"""Published values of all kinds, by the codes 0, 1, 2."""


@pytest.mark.samples(2)
@pytest.mark.parametrize("values", MANY)
def test_values_of_all_kinds(values):
    """Originals beside numbers, labels, marks and NULL: what is equal when it is published is equal here."""
    codes = np.array([0, 1, 2, 1, 0, 2])

    def publish(*_):
        kept = np.array([True, True, True, True, False, True])
        return Anonymized(kept=kept, columns={"age": Recoded(codes=codes, values=values)})

    task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
    with snapshot_of(pd.DataFrame({"age": [30, 31, 32, 40, 41, 42]})) as before:
        with run_on(before, chosen(Doing(publish)), task).after as after:
            done = rehearse_on(before, chosen(Doing(publish)), task)
            theirs = SnapshotRecords(after, "*").codes(("age",))[:, 0]
        ours = done.codes(("age",))[:, 0]
        assert the_same_partition(ours, theirs)
        assert ((ours == 0) == (theirs == 0)).all()


def test_texts_that_are_one_value_stay_one():
    """M and m are one by the task, also where both are published as they were."""
    ways = (Normalized(column="sex", spellings=(Spelling.CASE,)),)
    task = AnonymizationTask(combinations=(("sex",),), entity=None, sensitive=(), seed=0, normalized=ways)

    def publish(records, *_):
        sex = records.column("sex")
        recoded = Recoded(codes=sex.codes, values=tuple(map(Original, range(sex.distinct + 1))))
        return Anonymized(kept=np.ones(4, dtype=np.bool_), columns={"sex": recoded})

    table = pd.DataFrame({"sex": ["m", "M", "f", None]})
    with ENGINE.snapshot(table, ReadOptions(), EngineSettings()) as snapshot:
        before = SnapshotRecords(snapshot, "*", ways)
        done = rehearse_on(before, chosen(Doing(publish)), task)
        assert the_same_partition(done.codes(("sex",))[:, 0], np.array([1, 1, 2, 0]))


def test_a_column_of_numbers_with_suppressed_cells_has_numbers():
    """In their order, the suppressed cells last and without one; a label makes it a column of texts."""
    held = records_of(pd.DataFrame({"age": [9, 10, 30]}), ["age"])
    task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)

    def published(*values):
        recoded = Recoded(codes=np.arange(3), values=values)
        done = Anonymized(kept=np.ones(3, dtype=np.bool_), columns={"age": recoded})
        return rehearse_on(held, chosen(Doing(lambda *_: done)), task).column("age")

    some = published(Original(2), "*", Original(1))
    assert (some.value_type, some.texts) == (ValueType.INTEGER, (None, "9", "10", "*"))
    assert np.array_equal(some.numbers, [np.nan, 9, 10, np.nan], equal_nan=True)
    labels = published(Original(2), "[9, 10]", Original(1))
    texts = (None, "10", "9", "[9, 10]")
    assert (labels.value_type, labels.texts, labels.numbers) == (ValueType.TEXT, texts, None)


def test_what_is_asked_for_only_is_put_together():
    """Columns are made when they are asked for, and once."""
    done = rehearse(records_of(table([20, 21, 30, 31])), "mondrian", k_anonymity_task(2, QIDS))
    assert done._columns == {}
    assert done.column("age") is done.column("age")
    assert set(done._columns) == {"age"}


def test_hierarchies_of_the_task_are_used():
    """A hierarchy that is given goes to the anonymizer, and to whatever reads its labels."""
    held = records_of(table([20, 21, 30, 31, 40, 41, 50, 51]), ["age"])
    ages = {"age": automatic_hierarchy(held.column("age"))}
    done = rehearse(held, "full_domain", k_anonymity_task(2, ["age"], hierarchies=ages))
    assert done.grouped(["age"]).class_sizes.min() >= 2
    assert done.changes.hierarchies["age"] is ages["age"]
