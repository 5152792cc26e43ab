"""Where k, l and t come from, and what classes are held against."""

import numpy as np
import pytest

from qidguard.host import load_host
from qidguard.sdk import AnonymizationTask, Bound, Limit, NotMeasurable, PolicyLimit
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.wanted import Wanted, wanted


def task_of(*limits):
    """Return a task with limits, each (metric, bound, value, attribute)."""
    metrics = load_host().metrics
    return AnonymizationTask(
        combinations=(("a",),),
        entity=None,
        sensitive=("s", "u"),
        seed=0,
        targets=tuple(
            PolicyLimit(
                metric=metrics[name],
                arguments={},
                limit=Limit(bound=bound, value=value),
                qids=("a",),
                sensitive=beside,
            )
            for name, bound, value, beside in limits
        ),
    )


LEAST, MOST = Bound.AT_LEAST, Bound.AT_MOST
POLICY = task_of(
    ("k_anonymity", LEAST, 5, None),
    ("k_anonymity", LEAST, 7, None),
    ("distinct_l_diversity", LEAST, 3, "s"),
    ("distinct_l_diversity", LEAST, 1, "u"),
    ("t_closeness", MOST, 0.4, "u"),
    ("t_closeness", MOST, 0.3, "u"),
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"k": 0, "l": 0, "t": 0.0}, Wanted(k=7, l={"s": 3}, t={"u": 0.3})),
        ({"k": 2, "l": 4, "t": 0.5}, Wanted(k=2, l={"s": 4, "u": 4}, t={"s": 0.5, "u": 0.5})),
        ({"k": 0}, Wanted(k=7)),
    ],
)
def test_the_strictest_limit_of_the_policy_where_a_parameter_is_0(arguments, expected):
    """A parameter that an anonymizer does not offer asks for nothing, whatever the policy says."""
    assert wanted(arguments, POLICY) == expected


def test_nobody_says_k():
    """The sentence tells to set it."""
    with pytest.raises(NotMeasurable, match="set k"):
        wanted({"k": 0}, task_of())


def test_classes_by_hand():
    """Persons, values and distance of two classes, with and without entities."""
    classes = np.array([0, 0, 0, 1, 1])
    values, people = np.array([1, 1, 2, 2, 2]), np.array([1, 1, 2, 3, 0])
    for asked, entity, expected in (
        (Wanted(k=3), None, [True, False]),
        (Wanted(k=2), people, [True, True]),
        (Wanted(k=3), people, [False, False]),
        (Wanted(k=1, l={"s": 2}), None, [True, False]),
        # the table has shares 2/5 and 3/5: the classes are 4/15 and 2/5 away
        (Wanted(k=1, t={"s": 0.27}), None, [True, False]),
        (Wanted(k=1, t={"s": 0.4}), None, [True, True]),
        # by persons the table has 1/4 and 3/4, the first class 1/2 and 1/2
        (Wanted(k=1, t={"s": 0.25}), people, [True, True]),
        (Wanted(k=1, t={"s": 0.24}), people, [False, False]),
    ):
        rule = ClassRule(wanted=asked, entity=entity, sensitive={"s": values})
        assert rule.keeps(classes, 2).tolist() == expected
