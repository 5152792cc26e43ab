"""What whoever knows an original value knows of a published table, through an audit: it joins the QIDs."""

import numpy as np
import pandas as pd
import pytest

from qidguard import audit

PERSONS = 1500


def people():
    """Return persons with an age, a sex, a postcode and a stay."""
    generator = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": generator.integers(18, 90, PERSONS),
            "sex": generator.choice(["f", "m"], PERSONS),
            "zip": generator.integers(10100, 10200, PERSONS),
            "days": generator.integers(1, 60, PERSONS),
            "rate": 100 + 10 * generator.integers(0, 37, PERSONS),
            "weight": generator.permutation(PERSONS * 3)[:PERSONS],
        }
    )


def coarse(rows):
    """Return the persons as they are published: ages of forty years, postcodes of four digits, no days."""
    low = rows["age"] // 40 * 40
    band = "[" + low.astype(str) + ", " + (low + 39).astype(str) + "]"
    return rows.assign(age=band, zip=(rows["zip"] // 10).astype(str) + "*", days="*")


def rules(*insensitive, k=4, **more):
    """Return a policy on three QIDs; what is nearly unique is accepted by itself."""
    accepted = [{"columns": [name], "reason": "it is a number of the file"} for name in insensitive]
    return {
        "qidguard": 1,
        "name": "known",
        "roles": {"quasi_identifiers": ["age", "sex", "zip", "days"], "insensitive": list(insensitive)},
        "thresholds": [{"metric": "k_anonymity", "at_least": k}],
        "accepted": accepted,
    } | more


def judged(rows, policy):
    """Return whether the published rows pass beside their original, and what blocks them."""
    with audit(coarse(rows), policy, original=rows, is_same_order=True) as found:
        return found.is_passed, [block.sentence for block in found.verdict.blocks]


def alone(rows, *known):
    """Return how many persons are alone in the published classes and what is known beside them."""
    published = coarse(rows).assign(**{f"known{at}": values for at, values in enumerate(known)})
    names = ["age", "sex", "zip", *(f"known{at}" for at in range(len(known)))]
    return int((published.groupby(names).size() == 1).sum())


def ages(rows):
    """Return the ages."""
    return rows["age"]


def half_ages(rows):
    """Return the ages in twos."""
    return rows["age"] // 2


CASES = {
    "finer band": (lambda rows: {"band": half_ages(rows)}, half_ages),
    "quotient": (
        lambda rows: {"charges": rows["days"] * rows["rate"], "daily": rows["rate"]},
        lambda rows: rows["days"],
    ),
    "field of JSON": (
        lambda rows: {"note": [f'{{"id": {i}, "age": {a}}}' for i, a in enumerate(ages(rows))]},
        ages,
    ),
    "middle of a text": (
        lambda rows: {"note": [f"case {i}, aged {a}, seen" for i, a in enumerate(ages(rows))]},
        ages,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_known_joins_the_qids(case):
    """The sentence says how many persons are alone with it, as counted by pandas."""
    extra, known = CASES[case]
    rows = people()[["age", "sex", "zip", "days", "rate"]]
    columns = extra(rows)
    rows = rows.drop(columns="rate").assign(**columns)
    is_passed, [sentence] = judged(rows, rules(*columns))
    assert not is_passed
    assert f"k is 1, not 4: {alone(rows, known(rows))} persons are unique" in sentence
    assert "is known to whoever knows the original" in sentence


def test_what_parts_no_class_below_the_limit_blocks_nothing():
    """A half of the published band leaves everybody among enough others, and is noted."""
    rows = people().drop(columns=["rate", "weight"])
    rows = rows.assign(zip=10100, half=rows["age"] >= 60)
    policy = rules("half", k=20)
    with audit(coarse(rows), policy, original=rows, is_same_order=True) as found:
        assert found.is_passed
        assert "half is known to whoever knows the original age." in found.report.notes
        said = "With half read back every threshold still holds"
        assert any(note.startswith(said) for note in found.report.notes)


def test_a_sampling_weight_is_a_note_unless_candidates_decide():
    """Whoever uses one has to know its scheme."""
    rows = people().drop(columns="rate")
    rows["weight"] = 10 + rows["age"]
    roles = rules()["roles"] | {"weight": "weight"}
    notes = rules(roles=roles)
    with audit(coarse(rows), notes, original=rows, is_same_order=True) as found:
        assert found.is_passed
        said = "weight is known to whoever knows the original age."
        assert any(note.startswith(said) for note in found.report.notes)
    is_passed, [sentence] = judged(rows, rules(roles=roles, undoing={"some": "block"}))
    assert not is_passed
    assert "fewer than 4 candidates" in sentence


@pytest.mark.parametrize("other", ["none", None])
def test_what_is_published_of_one_area_alone_is_counted(other):
    """The exact age of a tenth of the postcodes: of these persons some have no other candidate.

    A value for all others is nobody's knowledge of an age, so that the ages are told; where there is none
    the ages are known, and decide whatever the policy says of what is told.
    """
    rows = people().drop(columns=["rate", "weight"])
    detail = np.where(rows["zip"] < 10110, rows["age"].astype(str), other)
    rows = rows.assign(detail=detail)
    says = {"none": "detail tells age of some persons", None: "detail is known of some persons to whoever"}
    for some in ("block", "note"):
        is_passed, blocks = judged(rows, rules("detail", undoing={"some": some}))
        assert is_passed is (some == "note" and other is not None)
        assert all(block.startswith(says[other]) for block in blocks)
        assert all("fewer than 4 candidates, the fewest 1." in block for block in blocks)


@pytest.mark.parametrize("is_sorted", [True, False])
def test_the_order_of_the_records_is_read(is_sorted):
    """A file that is still sorted by age tells the ages; once shuffled it does not."""
    rows = people().drop(columns=["rate", "weight"]).assign(zip=10100)
    rows = rows.sort_values("age", ignore_index=True) if is_sorted else rows
    is_passed, blocks = judged(rows, rules(k=20))
    assert is_passed is not is_sorted
    assert all(block.endswith("Shuffle the records.") for block in blocks)
    assert all(block.startswith("the order of the records tells the original age") for block in blocks)


@pytest.mark.parametrize("is_auto", [False, True])
@pytest.mark.parametrize("extra", ["born", "note", "again"])
def test_a_table_that_came_generalized_is_held_against_what_is_finer(extra, is_auto, tmp_path):
    """A date of birth and an age in a text are finer than the band beside them; the band again is not."""
    generator = np.random.default_rng(1)
    age = generator.integers(18, 90, 3000)
    born = np.datetime64("2020-06-30") - (age * 365.25 + generator.random(3000) * 365).astype("m8[D]")
    table = pd.DataFrame(
        {
            "age": [f"{a // 10}0-{a // 10}9" for a in age],
            "sex": generator.choice(["f", "m"], 3000),
            "born": born,
            "note": [f"case {i}: {a} years" for i, a in zip(generator.permutation(3000), age, strict=True)],
            "again": age // 10,
        }
    )[["age", "sex", extra]]
    source = table
    policy = rules(extra, k=20)
    policy["roles"]["quasi_identifiers"] = ["age", "sex"]
    if is_auto:
        policy["roles"]["quasi_identifiers"] = "auto"
        policy["accepted"] = policy["accepted"][:1]
        source = tmp_path / "table.csv"
        table.to_csv(source, index=False)
    with audit(source, policy) as found:
        blocks = [block.sentence for block in found.verdict.blocks if block.rule == "undoing"]
        assert found.is_passed == (not blocks) == (extra == "again")
        assert all("determines age and is finer." in block for block in blocks)
    tells = [{"columns": [extra], "tells": "age", "reason": "the age is public anyway"}]
    if extra != "again" and not is_auto:
        with audit(table, policy | {"accepted": policy["accepted"] + tells}) as found:
            assert found.is_passed
