"""Two releases that are each anonymous may not be so together; the second one is blocked then."""

import numpy as np
import pandas as pd
import pytest

from quick import mostly_slow
from reaudits import figures
from releases import at_least, judged, people


def hospital(ages: dict[str, int]) -> pd.DataFrame:
    """Return one record for each person."""
    rows = [{"person": p, "name": p, "age": a, "sex": "f", "illness": "flu"} for p, a in ages.items()]
    return pd.DataFrame(rows)


THIRTY, ELEVEN = {f"p{i}": 30 for i in range(6)}, {f"p{i}": 30 if i < 6 else 40 for i in range(11)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (ELEVEN, ELEVEN | {"p0": 40}, [5, 1, 11]),
        (THIRTY, {p: a for p, a in THIRTY.items() if p != "p5"}, [5, 5, 1]),
        (THIRTY, THIRTY | {f"q{i}": 30 for i in range(5)}, [11, 6, 5]),
    ],
    ids=["changes the class alone", "leaves alone", "five come together"],
)
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
def test_a_hundred_thousand_people(place):
    """100,000 persons in 2,000 classes of 50; forty of them move alone, and the second release is blocked."""
    chance = np.random.default_rng(7)
    classes = np.repeat(np.arange(2000), 50)
    chance.shuffle(classes)

    def table(of):
        columns = {"person": [f"p{i}" for i in range(len(of))], "age": of // 40, "sex": of % 40}
        return pd.DataFrame(columns | {"name": "x", "illness": "flu"})

    moved = classes.copy()
    movers = chance.choice(len(classes), 40, replace=False)
    moved[movers] = (moved[movers] + 1) % 2000
    assert place.release(table(classes), judged()).is_published
    made = place.release(table(moved), judged())
    found = figures(made)
    pairs, sizes = np.unique(np.column_stack([classes, moved]), axis=0, return_counts=True)
    assert len(pairs) > 2000
    assert found["intersection_k_anonymity"] == sizes.min() == 1
    assert found["k_anonymity"] >= 5
    assert not made.is_published


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "change", "value"),
    mostly_slow(
        [
            ("columns_appeared", {"ward": 1}, 1),
            ("columns_retyped", {"illness": 3.5}, 1),
            ("distribution_drift", {"illness": "flu"}, 2 / 3),
        ],
        quick=1,
    ),
)
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
    assert found["differencing_k_anonymity"] == 5
    assert found["leaving_batch_l_diversity"] == 1
    assert not made.is_published
