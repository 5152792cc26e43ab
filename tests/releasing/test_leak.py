"""No raw value of a small class is in anything that is written or said."""

import io
import json
import logging
import sqlite3
from contextlib import closing, redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import examples
from plugged import Counting, Doing, host_with, share_changed
from qidguard.interfaces.cli import main
from qidguard.releasing.result import lines
from qidguard.sdk import Anonymized, Bound, Guarantee, Limit, QidguardError, Recoded
from quick import mostly_slow
from releases import Place, at_least, judged, policy

MARK = "Zq7Wx9Kp"
"""In every value of the table and nowhere else."""

LIMIT = Limit(bound=Bound.AT_LEAST, value=2)

VALUES = st.integers(0, 5).map(lambda i: f"{MARK}v{i}")
ROWS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=12)


def written(place: Place) -> dict[str, bytes]:
    """Return everything that is kept of releases, except the published data itself."""
    found = {str(p): p.read_bytes() for p in place.root.rglob("*.json")}
    with closing(sqlite3.connect(place.home / "ledger.db")) as database, database:
        for table in ("entry", "attachment", "chain_head"):
            rows = database.execute(f"SELECT * FROM {table}").fetchall()
            found[table] = repr(rows).encode()
    return found


def table(rows):
    """Return the rows with a person and a name for each."""
    frame = pd.DataFrame(rows, columns=["age", "sex", "illness"])
    return frame.assign(
        person=[f"{MARK}p{i}" for i in range(len(rows))], name=[f"{MARK}n{i}" for i in range(len(rows))]
    )


@settings(
    max_examples=examples(25, fewest=3),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rows=ROWS, k=st.integers(2, 4), is_judged=st.booleans())
def test_no_value_is_in_any_record_log_or_error(tmp_path_factory, rows, k, is_judged):
    """Every value carries a mark; after releases that pass, block and cure, the mark is nowhere."""
    place = Place(tmp_path_factory.mktemp("leak"))
    rules = (judged if is_judged else policy)(
        remedy={"anonymizer": "small_class_suppression", "parameters": {"k": 3, "most_suppressed": 0.5}}
    )
    rules["thresholds"] = [{"metric": "k_anonymity", "at_least": k}, *rules["thresholds"][1:]]
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.DEBUG)
    said = []
    try:
        for part in (rows, rows[: len(rows) // 2 + 1]):
            try:
                made = place.release(table(part), rules)
                said += [*made.reasons, *made.notes, repr(made.report)]
            except QidguardError as error:
                said.append(str(error))
    finally:
        logging.getLogger().removeHandler(handler)
    for name, content in written(place).items():
        assert MARK.encode() not in content, name
        assert MARK.encode().hex().encode() not in content, name
    assert MARK not in log.getvalue()
    assert MARK not in "".join(said)


def published_as_a_set(records, *_):
    """Publish all ages as one set of them, and suppress the first record."""
    texts = [text for text in records.column("age").texts if text is not None]
    codes = np.zeros(records.records, dtype=np.int32)
    return Anonymized(
        kept=np.arange(records.records) > 0,
        columns={"age": Recoded(codes=codes, values=("{" + ", ".join(texts) + "}",))},
        guarantees=(Guarantee(metric="k_anonymity", limit=LIMIT, qids=("age", "sex")),),
    )


@pytest.mark.slow
@pytest.mark.parametrize("k", mostly_slow([2, 4, 9], quick=1))
def test_no_value_of_a_recoded_table_is_in_any_record(tmp_path, k):
    """A remedy that publishes sets of values, attacked, with a limit on what is lost; passed and blocked."""
    place = Place(tmp_path)
    host = host_with([Doing(published_as_a_set)], [Counting()], [share_changed()])
    few = {"metric": "share_changed", "at_most": 0.9}
    remedy = {"anonymizer": "doing", "attacks": ["counting"]}
    rules = policy(remedy=remedy, thresholds=[*at_least(k_anonymity=k), few])
    rows = [(f"{MARK}v{i}", f"{MARK}s", f"{MARK}i") for i in range(6)]
    made = place.release(table(rows), rules, host=host)
    assert made.is_published == (k < 9)
    assert place.record(made.audit_id)["suppression"]["cells_changed"] == {"age": 5}
    said = [*made.reasons, *made.notes, repr(made.report), repr(made.before), repr(made.receipt)]
    for name, content in written(place).items():
        assert MARK.encode() not in content, name
    assert MARK not in "".join((*said, *lines(made)))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 9])
def test_no_value_is_on_the_console(tmp_path, monkeypatch, k):
    """Published or blocked, neither stream of the command line and neither history nor show says a value."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    file = tmp_path / "people.csv"
    table([(f"{MARK}a", f"{MARK}b", f"{MARK}c{i % 2}") for i in range(4)]).to_csv(file, index=False)
    rules = tmp_path / "policy.yaml"
    bare = policy(thresholds=at_least(k_anonymity=k), release={})
    rules.write_text(json.dumps(bare), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["release", str(file), "--policy", str(rules), "--to", str(tmp_path / "to")])
        audit_id = next(word for word in out.getvalue().split() if word.startswith("audit-"))
        assert (main(["history"]), main(["show", audit_id])) == (0, 0)
    assert code == (0 if k <= 4 else 1)
    assert audit_id in out.getvalue()
    assert MARK not in out.getvalue() + err.getvalue()
