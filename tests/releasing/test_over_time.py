"""Two releases that are each anonymous may not be so together; the second one is blocked then."""

import pandas as pd
import pytest

from quick import mostly_slow
from reaudits import figures
from releases import at_least, judged, people


def hospital(ages: dict[str, int]) -> pd.DataFrame:
    """Return one record for each person."""
    return pd.DataFrame({"person": list(ages), "name": list(ages), "age": list(ages.values())}).assign(
        sex="f", illness="flu"
    )


THIRTY, ELEVEN = {f"p{i}": 30 for i in range(6)}, {f"p{i}": 30 if i < 6 else 40 for i in range(11)}


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second", "expected"), [
    (ELEVEN, ELEVEN | {"p0": 40}, [5, 1, 11]),
    (THIRTY, {p: a for p, a in THIRTY.items() if p != "p5"}, [5, 5, 1]),
    (THIRTY, THIRTY | {f"q{i}": 30 for i in range(5)}, [11, 6, 5]),
], ids=["changes the class alone", "leaves alone", "five come together"])  # fmt: skip
def test_who_moves_alone_is_isolated(place, first, second, expected):
    """Figures of the second alone, of who stayed, of who came or left: one person, or five who hide."""
    assert place.release(hospital(first), judged()).is_published
    made = place.release(hospital(second), judged())
    assert list(figures(made).values()) == expected
    assert made.is_published is (min(expected) >= 5)
    assert len(place.releases()) == 1 + made.is_published


@pytest.mark.slow
def test_a_lost_history_key_blocks(place):
    """Releases that were hashed with another key cannot be compared, and that is a reason to block."""
    assert place.release(people(), judged()).is_published
    (place.home / "history.key").unlink()
    made = place.release(people(), judged())
    assert not made.is_published
    assert "history.key" in made.reasons[0]


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "change", "value"), mostly_slow([
    ("columns_appeared", {"ward": 1}, 1),
    ("columns_retyped", {"illness": 3.5}, 1),
    ("distribution_drift", {"illness": "flu"}, 2 / 3),
], quick=1))  # fmt: skip
def test_drift_blocks_or_warns_as_the_policy_says(place, metric, change, value):
    """A column that appeared, or changed its type or values: on_miss decides whether it blocks or warns."""
    source = people(size=6)

    def rules(on_miss):
        limit = {"metric": metric, "at_most": 0, "on_miss": on_miss}
        return judged(thresholds=[*judged()["thresholds"], limit], unnamed_columns="insensitive")

    assert place.release(source, rules("block")).is_published
    drifted = source.assign(**change)
    blocked = place.release(drifted, rules("block"))
    assert not blocked.is_published
    found = [t for t in blocked.report.verdict.thresholds if t.measurement.metric == metric]
    assert [t.measurement.value for t in found] == [pytest.approx(value)]
    warned = place.release(drifted, rules("warn"))
    assert warned.is_published
    assert [t.measurement.metric for t in warned.report.verdict.warnings] == [metric]


@pytest.mark.slow
def test_a_batch_that_leaves_with_one_illness_is_told_by_subtraction(place):
    """Five of ten leave together, all with the flu: each release is 5-anonymous, the batch has one value."""
    asked = judged(thresholds=[*judged()["thresholds"], *at_least(leaving_batch_l_diversity=2)])
    everybody = hospital({f"p{i}": 30 for i in range(10)})
    everybody["illness"] = ["flu"] * 5 + ["cold", "gout"] * 2 + ["cold"]
    assert place.release(everybody, asked).is_published
    made = place.release(everybody[5:], asked)
    found = figures(made)
    assert (found["differencing_k_anonymity"], found["leaving_batch_l_diversity"]) == (5, 1)
    assert not made.is_published


WARD = pd.DataFrame([(a, s, i) for a in (30, 40) for s in "fm" for i in ("HIV", "HIV", "flu", "flu")])
WARD = WARD.set_axis(["age", "sex", "illness"], axis=1)
"""Four classes of four, without an entity."""


def by_content(*, most_recent: int = 0, **changes):
    """Return the policy for records that nothing but their content tells apart."""
    thresholds = at_least(k_anonymity=2, intersection_k_anonymity=2, differencing_k_anonymity=2)
    thresholds[2]["parameters"] = {"most_recent": most_recent}
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"]}
    return judged(roles=roles, thresholds=thresholds, release={"data_set": "ward"}) | changes


def and_more(table: pd.DataFrame, *illnesses: str) -> pd.DataFrame:
    """Return a table with more persons in its first class."""
    more = pd.DataFrame([{"age": 30, "sex": "f", "illness": illness} for illness in illnesses])
    return pd.concat([table, more], ignore_index=True)


def worded(**words: str) -> pd.DataFrame:
    """Return the ward with other words for illnesses."""
    return WARD.assign(illness=WARD["illness"].replace(words))


@pytest.mark.parametrize(("second", "figure", "again"), [
    (and_more(worded(HIV="hiv"), "hiv"), 1, 8),
    (and_more(worded(flu="influenza"), "influenza"), 1, 8),
    (worded(HIV="hiv").iloc[1:], 1, 8),
    (worded(HIV="hiv"), 2, 8),
    (WARD, 16, 16),
])  # fmt: skip
def test_a_class_that_changed_by_one_is_told_by_subtraction(place, second, figure, again):
    """Whatever was re-worded: four were there and five are; and it is said how many are found again."""
    assert place.release(WARD, by_content()).is_published
    made = place.release(second[["sex", "illness", "age"]], by_content())
    assert figures(made)["differencing_k_anonymity"] == figure
    assert made.is_published is (figure > 1)
    share = f"Of the 16 records of earlier releases {again} ({100 * again / 16:.1f} %) are found again"
    assert share in made.notes[0]
    assert place.record(made.audit_id)["release"]["records_found_again"] == {"earlier": 16, "found": again}


def test_each_earlier_release_is_subtracted(place):
    """Two less than the last one, and one more than the one before."""
    assert place.release(WARD, by_content()).is_published
    assert place.release(and_more(WARD, "cold", "cold", "cold"), by_content()).is_published
    third = and_more(worded(flu="grippe"), "grippe")
    for most_recent, figure in ((1, 2), (0, 1)):
        made = place.release(third, by_content(most_recent=most_recent))
        assert (figures(made)["differencing_k_anonymity"], made.is_published) == (figure, False)


def test_the_order_of_the_quasi_identifiers_hides_nothing(place):
    """Another order of the same QIDs makes other classes of nobody."""
    assert place.release(WARD, by_content()).is_published
    roles = {"quasi_identifiers": ["sex", "age"], "sensitive": ["illness"]}
    made = place.release(and_more(worded(HIV="hiv"), "hiv"), by_content(roles=roles))
    assert figures(made)["differencing_k_anonymity"] == 1


def test_with_an_entity_those_who_came_and_left_are_known(place):
    """Three left and four came: no one of them alone, though the class is one larger."""
    rules = judged(thresholds=at_least(k_anonymity=3, intersection_k_anonymity=2, differencing_k_anonymity=3))
    assert place.release(hospital({f"p{i}": 30 for i in range(10)}), rules).is_published
    made = place.release(hospital({f"p{i}": 30 for i in range(3, 14)}), rules)
    assert (figures(made)["differencing_k_anonymity"], made.is_published) == (3, True)


def test_declared_spellings_count_when_records_are_followed(place):
    """HIV and hiv are one person again; what was taken as one value then has to be the same now."""
    ways = {"source": {"normalize": ["case"]}}
    assert place.release(WARD, by_content(**ways), release_id="r1").is_published
    made = place.release(worded(HIV="hiv"), by_content(**ways))
    assert figures(made)["differencing_k_anonymity"] == 16
    assert "16 (100.0 %) are found again" in made.notes[0]
    assert made.is_published
    for other in ({}, {"source": {"normalize": ["case", "blanks"]}}):
        (reason,) = place.release(WARD, by_content(**other)).reasons
        assert "Earlier releases of 'ward' took other texts as one value (source.normalize)" in reason
