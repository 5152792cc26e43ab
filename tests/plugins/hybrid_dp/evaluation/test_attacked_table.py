"""A published table as an attacker sees it: read from the published text, with the mechanism beside it."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import Recoded, UserError
from qidguard_hybrid_dp.evaluation.attacked import UNSEEN
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.example import people
from qidguard_hybrid_dp.evaluation.risk_study import FULL, RANDOM, risk_rows, sought_in
from qidguard_hybrid_dp.evaluation.trial import (
    HYBRID,
    PLAIN,
    CaseTrial,
    CellNoise,
    attacked_table,
    interval_of,
)

TREE = {"land": {"north": ["a", "b"], "south": ["c", "d"]}}
BOUNDS = {"age": (Fraction(20), Fraction(60))}


def case_of(lands, ages, **given):
    """Return a case of lands and ages, in an order of its own."""
    frame = pd.DataFrame({"land": lands, "age": ages, "illness": ["flu", "cold"] * (len(lands) // 2)})
    return PrivacyCase.of(frame, ["land", "age"], ["illness"], bounds=BOUNDS, trees=TREE, **given)


def published(case, changed, *, method=PLAIN, **given):
    """Return a trial that publishes what is said for each original text of a column."""
    columns = {}
    for name, told in changed.items():
        column = case.records.column(name)
        values = tuple(None if text is None else told.get(text, text) for text in column.texts)
        distinct = tuple(dict.fromkeys(values))
        place = np.array([distinct.index(value) for value in values])
        columns[name] = Recoded(codes=place[column.codes], values=distinct)
    return CaseTrial.of(case, 2, method, columns, {}, **given)


def texts(case, name):
    """Return the original text of each record."""
    column = case.records.column(name)
    return [column.texts[code] for code in column.codes]


def test_a_label_covers_what_stands_below_it():
    """A record published as north is possible for a and b, with d for d alone, with * for all."""
    case = case_of(list("abcd"), [20, 30, 40, 50])
    trial = published(case, {"land": {"a": "north", "b": "north", "c": "*"}})
    [land] = attacked_table(trial, case).categories
    codes = {text: code for code, text in enumerate(case.records.column("land").texts)}
    rows = texts(case, "land")
    may_be_b = land.possible[codes["b"]][land.published]
    may_be_unseen = land.possible[UNSEEN][land.published]
    assert {rows[at] for at in np.flatnonzero(may_be_b)} == {"a", "b", "c"}
    assert {rows[at] for at in np.flatnonzero(may_be_unseen)} == {"c"}


def test_intervals_have_their_ends():
    """A number between the ends is possible, one outside is not."""
    case = case_of(list("abcd"), [20, 30, 40, 50])
    trial = published(case, {"age": {"20": "[20, 30]", "30": "[20, 30]"}})
    [age] = attacked_table(trial, case).numbers
    assert age.likelihood(np.array([25.0, 40.0])).sum(axis=1).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        *(("39", (39, 39)), ("-1.5", (-1.5, -1.5)), ("[30, 39]", (30, 39)), ("[0.5, 1.5)", (0.5, 1.5))),
        *(("<= 20", (-np.inf, 20)), ("group 3 of 8", (-np.inf, np.inf))),
    ],
)
def test_published_texts_of_numbers(text, ends):
    """Numbers, intervals and open ends; what nobody can read may be anything."""
    assert interval_of(text) == ends


def test_the_partition_rule_is_known_by_value():
    """A value that only violating records have violates; noise has the scale of each record's part."""
    case = case_of(list("aaab"), [20, 30, 40, 50])
    rows = texts(case, "land")
    violating = np.array([text == "b" for text in rows])
    noise = CellNoise(scale=np.where(violating, 40 / 3, 8.0), step=1.0, bounds=(20.0, 60.0))
    trial = published(case, {}, method=HYBRID, violating=violating, friendly=("land",), noise={"age": noise})
    table = attacked_table(trial, case)
    assert table.partition is not None
    codes = {text: code for code, text in enumerate(case.records.column("land").texts)}
    assert [table.partition.of({"land": codes[one]}) for one in "ab"] == [False, True]
    assert table.partition.of({}) is None
    assert table.numbers[0].scale.tolist() == noise.scale.tolist()


def test_what_has_no_mechanism_is_not_attacked():
    """It has no attacked table and no row of risk; without people left out there is no risk at all."""
    case = case_of(list("abcd"), [20, 30, 40, 50], outsiders=1)
    trial = published(case, {}, has_mechanism=False)
    with pytest.raises(ValueError, match="no mechanism"):
        attacked_table(trial, case)
    assert risk_rows(case, [trial], 2) == ()
    with pytest.raises(UserError, match="leave some out"):
        sought_in(case_of(list("abcd"), [20, 30, 40, 50]), 2, knowledge=FULL)


def test_persons_left_out_are_not_in_the_release():
    """Inside and outside together are everybody, the same persons for every question."""
    case = PrivacyCase.of(people(100), ["age", "race"], ["illness"], bounds=BOUNDS, outsiders=30)
    assert (case.records.records, case.everybody.records) == (70, 100)
    found = sought_in(case, 50, knowledge=RANDOM)
    assert (len(found.inside), len(found.outside)) == (50, 30)
    assert (found.outside.row == -1).all()
    again = sought_in(case, 50, knowledge=RANDOM)
    assert np.array_equal(found.inside.known, again.inside.known)
    assert sought_in(case, 50, knowledge=FULL).inside.known.all()


def test_as_it_is_a_unique_person_is_found_and_an_outsider_is_not():
    """Published unchanged, everybody with an age of their own is found; one who is left out has no excess."""
    case = case_of(list("abab") * 3, list(range(20, 32)), outsiders=2)
    trial = published(case, {})
    row = next(one for one in risk_rows(case, [trial], 10) if one.knowledge == FULL)
    figures = row.figures
    assert (figures.identity, figures.sensitive, figures.above, figures.outsiders < 1) == (1, 1, 1, True)


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"qids": []}, "needs quasi-identifiers"),
        ({"sensitive": ["age"]}, "'age' has two roles"),
        ({"bounds": {}}, "'age' holds numbers and has no bounds"),
        ({"bounds": {"age": (20, 60), "race": (0, 1)}}, "'race', which holds no numbers"),
        ({"bounds": {"age": (20, 60), "height": (0, 1)}}, "'height', which is no quasi-identifier"),
        ({"outsiders": 100}, "100 cannot be left out"),
    ],
)
def test_roles_that_do_not_fit_are_refused(given, words):
    """Each says which column, and what to do."""
    asked = {"qids": ["age", "race"], "sensitive": ["illness"], "bounds": {"age": (20, 60)}, **given}
    with pytest.raises(UserError, match=words):
        PrivacyCase.of(people(100), asked.pop("qids"), asked.pop("sensitive"), **asked)
