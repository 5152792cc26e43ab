"""Rehearsals in memory by name, as a plugin asks for them."""

import time

import numpy as np
import pandas as pd
import pytest

from noise import costs
from plugged import Doing, host_with
from qidguard.host import load_host
from qidguard.sdk import (
    Anonymized,
    DataError,
    NotMeasurable,
    Parameter,
    PluginError,
    Recoded,
    UserError,
    audit,
    k_anonymity_task,
    records_of,
    rehearse,
)

MARK = "Zq7Wx9Kp"


def twelve() -> pd.DataFrame:
    """Return twelve records of three columns."""
    ages = [20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62, 63]
    return pd.DataFrame({"age": ages, "town": list("AABB" * 3), "illness": list("xy" * 6)})


def done(written, *qids, k=2, table=None, entity=None, **more):
    """Return a rehearsal over some QIDs."""
    records = records_of(twelve() if table is None else table, entity=entity)
    return rehearse(records, written, k_anonymity_task(k, qids, entity=entity), **more)


def said_by(do, error, **more) -> str:
    """Return what is said of an anonymizer that does something."""
    with pytest.raises(error) as raised:
        done("doing", "age", "town", host=host_with([Doing(do, **more)]))
    return str(raised.value)


def test_a_rehearsal_measures_what_would_be_published():
    """Mondrian at k = 4 over two columns: no class of fewer than four, l beside the illness, loss in view."""
    records = records_of(twelve())
    task = k_anonymity_task(4, ["age", "town"], sensitive=["illness"])
    made = rehearse(records, "mondrian", task)
    classes = made.grouped(["age", "town"])
    assert classes.class_sizes.min() >= 4
    k, l_ = (load_host().metric(name) for name in ("k_anonymity", "distinct_l_diversity"))
    assert classes.figure(k, {}) >= 4
    assert made.grouped(["age", "town"], "illness").figure(l_, {}) == 2
    assert made.changes.after is made
    assert records.column("age").texts[1:] == tuple(map(str, sorted(twelve()["age"])))


def test_persons_are_counted_where_there_is_an_entity():
    """Two persons with six records each are a class of two."""
    table = twelve().assign(person=["p", "q"] * 6)
    found = done("small_class_suppression[most_suppressed=0.5]", "town", table=table, entity="person")
    assert found.grouped(["town"]).class_sizes.tolist() == [2, 2]


def test_k_of_the_task_is_given_to_an_anonymizer_that_must_have_one():
    """What stands in brackets goes before it."""
    with pytest.raises(NotMeasurable, match="small_class_suppression: k = 7 leaves none"):
        done("small_class_suppression", "town", k=7)
    assert done("small_class_suppression[k=6]", "town", k=7).records == 12


WIDTH = {"parameters": (Parameter(name="width", type=int, default=3),)}
CHARGED = {"privacy_guarantee": lambda *_: costs(1)}


@pytest.mark.parametrize("more", [CHARGED, WIDTH, {}], ids=["draws noise", "a width", "nothing"])
def test_an_anonymizer_is_told_that_it_is_a_rehearsal(more):
    """Noise is drawn by the seed then, and nothing charged; nothing is filled in that is not taken."""
    told = []

    def keep(records, arguments, task):
        told.append((task.is_rehearsal, dict(arguments)))
        return Anonymized(kept=np.ones(records.records, dtype=np.bool_))

    assert done("doing", "town", host=host_with([Doing(keep, **more)])).records == 12
    assert told == [(True, {"width": 3} if more is WIDTH else {})]


def test_what_cannot_be_done_is_one_sentence():
    """The anonymizer's own reason, or that nothing would be left."""

    def refuse(*_):
        raise NotMeasurable("no age is alike")

    assert said_by(refuse, NotMeasurable) == "doing: no age is alike"
    nothing = said_by(lambda *_: Anonymized(kept=np.zeros(12, dtype=np.bool_)), NotMeasurable)
    assert nothing == "doing would suppress every record; coarsen the quasi-identifiers"


WRONG = [
    (lambda *_: None, "returned NoneType, not Anonymized"),
    (lambda *_: Anonymized(kept=np.ones(3, dtype=np.bool_)), "not by one truth value for each of the 12"),
    (lambda *_: recoded("illness", ("x",)), "changes the column 'illness'"),
    (lambda *_: recoded("age", ("\ud800",)), "publishes values that no table can hold"),
    (lambda *_: written_to(99), "recodes the column 'age' by something other than one value a record"),
    (lambda *_: written_to(-1), "recodes the column 'age' by something other than one value a record"),
]


def recoded(name, values):
    """Return an answer that publishes one value in a column."""
    column = Recoded(codes=np.zeros(12, dtype=np.int64), values=values)
    return Anonymized(kept=np.ones(12, dtype=np.bool_), columns={name: column})


def written_to(code):
    """Return an answer whose codes were written to after they were checked."""
    done = recoded("age", ("x",))
    done.columns["age"].codes[3] = code
    return done


@pytest.mark.parametrize(("do", "what"), WRONG)
def test_an_answer_is_checked_as_for_a_release(do, what):
    """A fault names the plugin, and no value."""
    said = said_by(do, PluginError)
    assert what in said
    assert said.startswith("plugin 'tried' of tried-dist 1.0: anonymizer 'doing' ")


def test_an_error_of_the_plugin_tells_no_value():
    """Its own words may hold one."""

    def fail(*_):
        raise RuntimeError(MARK)

    said = said_by(fail, PluginError)
    assert (MARK in said, "failed with RuntimeError" in said) == (False, True)


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("mondriaan", "no anonymizer 'mondriaan'"),
        ("mondrian[kk=2]", "unknown parameter 'kk'"),
        ("mondrian[k=2", "must be a name"),
    ],
)
def test_a_method_that_there_is_not_is_one_sentence(written, what):
    """No such anonymizer or parameter."""
    with pytest.raises(UserError) as raised:
        done(written, "age")
    assert what in str(raised.value)


def test_a_task_that_there_is_not_is_one_sentence():
    """No such column, no column at all, a k that is none."""
    with pytest.raises(UserError, match="the column 'town', which the records have not"):
        rehearse(records_of(twelve(), ["age"]), "mondrian", k_anonymity_task(2, ["age", "town"]))
    for k in (0, True, 2.0, "5"):
        with pytest.raises(UserError, match="k is a number of persons, at least 1"):
            k_anonymity_task(k, ["age"])
    with pytest.raises(UserError, match="at least one quasi-identifier"):
        k_anonymity_task(2, [])


def test_records_come_from_a_file_or_an_opened_table(tmp_path):
    """The same ones; a table that is opened stays open and knows its entity itself."""
    path = tmp_path / "twelve.csv"
    twelve().to_csv(path, index=False)
    of_file = records_of(path, ["age", "town"], size=5, seed=3)
    with audit(twelve()) as audited:
        of_table = records_of(audited.table, ["age", "town"], size=5, seed=3)
        assert audited.table.records == 12
        with pytest.raises(UserError, match="an opened table knows its entity column"):
            records_of(audited.table, entity="age")
    assert of_file.codes(["age", "town"]).tolist() == of_table.codes(["age", "town"]).tolist()
    assert of_file.column("age").texts == of_table.column("age").texts


def test_what_no_engine_opens_is_said():
    """The kind of what was given."""
    with pytest.raises(UserError, match="cannot open what is a Python object"):
        records_of(object())
    with pytest.raises(DataError, match="no column 'x'"):
        records_of(twelve(), ["x"])


@pytest.mark.slow
def test_an_anonymizer_that_does_not_end_is_interrupted():
    """About a second after its budget; the sentence is that of one that cannot do it."""

    def sleep(*_):
        while True:
            time.sleep(0.05)

    with pytest.raises(NotMeasurable, match=r"doing: it did not end within 0\.2 seconds"):
        done("doing", "age", budget_seconds=0.2, host=host_with([Doing(sleep)]))
