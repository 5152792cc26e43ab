"""A raw table in which a column carries a QID's values once more: a note for the policy's author."""

import pandas as pd
import pytest

from qidguard import audit

SAME = "code carries the same values as age: generalizing one without the other would protect nothing."
FINER = "code carries finer values than age: generalizing one without the other would protect nothing."


def table(records=80, **more):
    """Return ages of eight values, a code of them, and wards that have nothing to do with them."""
    ages = [20 + i % 8 for i in range(records)]
    columns = {"age": ages, "sex": ["fm"[i // 8 % 2] for i in range(records)]}
    columns |= {"code": [f"c{age * 7 % 13}" for age in ages], "ward": [i // 3 % 7 for i in range(records)]}
    return pd.DataFrame(columns | more)


def rules(others, **changes):
    """Return a policy on age and sex."""
    roles = {"quasi_identifiers": ["age", "sex"], "insensitive": others}
    thresholds = [{"metric": "k_anonymity", "at_least": 2}]
    return {"qidguard": 1, "name": "raw", "roles": roles, "thresholds": thresholds} | changes


def notes(rows, policy=None, source=None, **changes):
    """Return the notes of an audit on values that are carried."""
    others = [name for name in rows if name not in {"age", "sex"}]
    with audit(rows if source is None else source, policy or rules(others, **changes)) as found:
        return tuple(note for note in found.report.notes if "values" in note)


@pytest.mark.parametrize(
    ("code", "said"),
    [({}, SAME), ({"code": [f"c{i % 8}{i // 16 % 2}" for i in range(80)]}, FINER)],
    ids=["each code an age", "two codes for each age"],
)
def test_the_same_or_finer_values_under_other_names_are_said(code, said):
    """One column would tell what is generalized in the other."""
    assert notes(table(**code)) == (said,)


@pytest.mark.slow
def test_a_missing_value_is_a_value():
    """An age that is missing where the code is d0 is told; one that is missing for some c20 is not."""
    missing = table().assign(age=lambda rows: rows["age"].astype(float).where(rows["age"] > 20))
    assert notes(missing) == (SAME,)
    ages = missing["age"].tolist()
    ages[0] = 20.0
    assert notes(missing.assign(age=ages)) == ()


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    ("rows", "changes"),
    [
        (table(code=[table()["code"][1], *table()["code"][1:]]), {}),
        (table(code=list(range(80))), {}),
        (table(16), {}),
        (table(), {"release": {"drop": ["code"]}}),
        (table(age=[20] * 80), {}),
    ],
    ids=["one contradicts", "hardly repeats", "too few for chance", "not published", "constant"],
)
def test_what_tells_nothing_is_not_said(rows, changes):
    """There is no note."""
    assert SAME not in notes(rows, **changes)


@pytest.mark.slow
def test_files_are_looked_through_whole(tmp_path):
    """Every way of reading a table gives the note, and a last record that contradicts takes it away."""
    rows = pd.concat([table()] * 1500, ignore_index=True)
    odd = pd.concat([rows, rows[:1].assign(code=rows["code"][1])], ignore_index=True)
    for source, said in ((rows, (SAME,)), (odd, ())):
        for write, path in (("to_csv", tmp_path / "x.csv"), ("to_parquet", tmp_path / "x.parquet")):
            getattr(source, write)(path, index=False)
            assert notes(source, source=str(path)) == said


@pytest.mark.samples(1)
@pytest.mark.parametrize("kind", ["auto", "no policy"])
def test_recognized_qids_are_compared_too(kind):
    """What carries the values of a QID that was recognized by its name is said."""
    rows = table(age=[20 + i % 8 for i in range(80)]).rename(columns={"ward": "x"})
    policy = None
    if kind == "auto":
        policy = rules([], roles={"quasi_identifiers": "auto", "insensitive": ["code", "x"]})
    with audit(rows, policy) as found:
        assert SAME in found.report.notes
    odd = rows.assign(code=[rows["code"][1], *rows["code"][1:]])
    with audit(odd, policy) as found:
        assert not [note for note in found.report.notes if "carries" in note]
