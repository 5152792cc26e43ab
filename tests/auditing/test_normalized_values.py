"""What a policy declares to be one value is one wherever a figure of a sensitive column is measured."""

import csv
import random
from itertools import combinations

import duckdb
import pandas as pd
import pytest

import qidguard
from qidguard import PolicyError
from qidguard.core.spelling import Spelling
from qidguard.core.view import Grouping
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.cost import Path
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.policy import load_policy
from spelling_oracle import drawn_texts, one_value

METRICS = ["distinct_l_diversity", "entropy_l_diversity", "t_closeness", "k_anonymity"]
QIDS = ["town", "age", "sex"]
ALL = [str(way) for way in Spelling]


SUBSETS = [qids for n in (1, 2, 3) for qids in combinations(QIDS, n)]


def table(texts):
    """Return some records in few classes with these sensitive values."""
    chance = random.Random(3)  # noqa: S311 - no secret
    columns = {q: [f"{q}{chance.randrange(2)}" for _ in texts] for q in QIDS}
    return pd.DataFrame({**columns, "diagnosis": pd.Series(texts, dtype=object)})


TEXTS = [text for text in drawn_texts(11, 400) if text != ""]  # in a CSV the empty field is NULL
WRITTEN = table(TEXTS)
BEFOREHAND = table([one_value(text, ALL) for text in TEXTS])


def policy(normalize=None, **more):
    """Return a policy over every metric of the test."""
    source = {} if normalize is None else {"source": {"normalize": normalize}}
    limits = {"t_closeness": {"at_most": 0.5}}
    thresholds = [{"metric": m, **limits.get(m, {"at_least": 2})} for m in METRICS]
    roles = {"quasi_identifiers": QIDS, "sensitive": ["diagnosis"]}
    return {"qidguard": 1, "name": "p", "roles": roles, "thresholds": thresholds, **source, **more}


def figures(source, rules):
    """Return the figures of an audit, and its notes."""
    with qidguard.audit(source, rules) as audit:
        return [t.measurement.value for t in audit.report.verdict.thresholds], audit.report.notes


def stored(frame, kind, folder):
    """Return a frame as a source of a kind."""
    if kind == "frame":
        return frame
    path = folder / f"x.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False, quoting=csv.QUOTE_ALL)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        with duckdb.connect(path) as database:
            database.execute("CREATE TABLE t AS SELECT * FROM frame")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["frame", "csv", "parquet", "duckdb"])
@pytest.mark.parametrize("attacker", ["all", {"knows_any": 2}], ids=["all", "any two"])
def test_figures_are_those_of_a_table_that_was_rewritten_beforehand(tmp_path, kind, attacker):
    """Each format and each attacker: as if somebody had normalized the column, and no other, by hand."""
    expected, _ = figures(BEFOREHAND, policy(attacker=attacker))
    found, _ = figures(stored(WRITTEN, kind, tmp_path), policy("all", attacker=attacker))
    assert found == pytest.approx(expected, abs=1e-12)
    untouched, _ = figures(WRITTEN, policy(attacker=attacker))
    assert untouched[:2] > found[:2]
    assert untouched[3] == found[3]


@pytest.mark.samples(1)
@pytest.mark.parametrize("path", [Path.SQL, Path.LATTICE, Path.REFINEMENT])
def test_every_way_of_measuring_sees_the_same_values(path):
    """SQL, the lattice and refining give the figures of the oracle's table for every subset of QIDs."""
    metric = load_host().metrics["distinct_l_diversity"]
    question = Question(metric=metric, arguments={}, qids=tuple(QIDS), attribute="diagnosis")
    names = (*QIDS, "diagnosis")
    every = load_policy(policy("all")).normalized
    values = []
    for frame, needs in (
        (WRITTEN, Needs(columns=names, normalized=every)), (BEFOREHAND, Needs(columns=names)),
    ):  # fmt: skip
        with ENGINE.open(frame, ReadOptions(), needs, EngineSettings()) as opened:
            measurer = SubsetMeasurer(opened, QIDS, [question], path=path)
            found = [measurer.measure([frozenset(qids)]).tolist() for qids in SUBSETS]
            cells = opened.cells(Grouping(qids=("town",), sensitive="diagnosis"))
            values.append([*found, (cells.has_missing, sorted(cells.table_n.tolist()))])
    assert values[0] == values[1]


def in_writing(source, rules):
    """Return the first figure of an audit, and its notes on values that differ only in writing."""
    found, notes = figures(source, rules)
    return found[0], [note for note in notes if "only in writing" in note]


@pytest.mark.slow
def test_hiv_in_seven_writings_is_one_value():
    """The case that a reader finds first: seven texts, one diagnosis, so the class has one value."""
    texts = ["hiv", "HIV", "hiv ", " hiv", "hi\u200bv", "hiv\u00a0", "Hiv\t"]
    frame = pd.DataFrame({"town": ["a"] * 7, "age": 1, "sex": "f", "diagnosis": texts})
    assert in_writing(frame, policy())[0] == 7
    told = (
        "Column 'diagnosis' holds 6 values that differ from another only in writing (unicode 1, blanks 3,"
        " case 1); they are measured as one by case, blanks, unicode. What is published stays as it is"
        " written."
    )
    assert in_writing(frame, policy(["case", "blanks", "unicode"])) == (1, [told])


def test_every_audit_counts_what_only_a_machine_tells_apart():
    """Undeclared, QID and sensitive column are named with counts, and no value is."""
    frame = pd.DataFrame(
        {"town": ["Bonn", "bonn"], "age": ["1", "1.0"], "sex": ["f", "g"], "diagnosis": ["SECRET", "secret "]}
    )
    _, notes = in_writing(frame, policy())
    town, age, diagnosis = notes
    assert town == (
        "Column 'town' holds 1 value that differs from another only in writing (case 1); classes are counted"
        " by what is published, where a reader may take them as one."
    )
    assert "'age' holds 1 value that differs from another only in writing (numbers 1); classes" in age
    assert diagnosis == (
        "Column 'diagnosis' holds 1 value that differs from another only in writing (several ways at once);"
        " they count as different. If they are one value, declare it under source: normalize."
    )
    assert not any("secret" in note.lower() or "bonn" in note.lower() for note in notes)


@pytest.mark.slow
def test_an_engine_that_cannot_follow_blocks(monkeypatch):
    """Else the figure would count writings, although the policy says that they are one value."""
    from qidguard.engines.duckdb.table import DuckdbTable

    monkeypatch.delattr(DuckdbTable, "variants")
    with qidguard.audit(WRITTEN, policy("all")) as audit:
        assert any("source.normalize cannot be followed" in b.sentence for b in audit.report.verdict.blocks)
    with qidguard.audit(WRITTEN, policy()) as audit:
        assert audit.report.verdict.blocks == ()


REFUSED = [
    ("sometimes", "must be all, or a list of unicode, blanks, case, numbers, missing"),
    ([], "must be all, or a list of"),
    (["cases"], "did you mean 'case'"),
    (["case", "case"], "says case twice"),
    ({"diagnosis": ["cases"]}, "did you mean 'case'"),
    ({"town": ["case"]}, "'town', which is not a sensitive column"),
    ({"diagnose": "all"}, "did you mean 'diagnosis'"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=str)
def test_what_cannot_be_meant_is_refused(given, said):
    """A misspelt way, a quasi-identifier, a column that nobody measures."""
    with pytest.raises(PolicyError, match=said):
        qidguard.audit(WRITTEN, policy(given))


@pytest.mark.slow
def test_what_is_published_stays_as_it_is_written(tmp_path):
    """The release holds the source's own bytes; only the figures took them as one."""
    rules = {**policy("all"), "release": {"data_set": "d"}}
    rules["thresholds"] = [{"metric": "distinct_l_diversity", "at_least": 2}]
    made = qidguard.release(WRITTEN, rules, to=str(tmp_path / "out"), home=str(tmp_path / "home"))
    assert made.is_published
    published = pd.read_parquet(f"{made.address}/d.parquet")["diagnosis"]
    assert sorted(published.dropna()) == sorted(text for text in TEXTS if text is not None)
