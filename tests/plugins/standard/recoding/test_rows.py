"""Whether classes keep k, l and t, against plain Python."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import AnonymizationTask, NotMeasurable
from qidguard_standard.anonymizers.clustering.wanted import Wanted
from qidguard_standard.anonymizers.recoding.rows import rows_of

RECORDS = st.lists(
    st.tuples(*[st.sampled_from("ab"), st.sampled_from("pqr"), st.sampled_from("123")]),
    min_size=1,
    max_size=10,
)


def keeps(members, everybody, wanted, *, entity):
    """Whether one class of records keeps all that is wanted, counted one by one."""

    def counts(records):
        seen = {(s, w) for _, s, w in records}
        return Counter(s for s, _ in seen) if entity else Counter(s for _, s, _ in records)

    mine, table = counts(members), counts(everybody)
    persons = len({w for *_, w in members}) if entity else len(members)
    distance = sum(max(mine[s] / mine.total() - table[s] / table.total(), 0) for s in mine)
    return (
        persons >= wanted.k and len(mine) >= wanted.l.get("s", 0) and distance <= wanted.t.get("s", 1) + 1e-9
    )


@settings(derandomize=True, database=None, max_examples=examples(80), deadline=None)
@given(
    records=RECORDS,
    k=st.integers(1, 3),
    least=st.integers(0, 2),
    t=st.sampled_from([None, 0.2, 0.4]),
    entity=st.booleans(),
)
def test_classes_keep_what_plain_counting_says(table, records, k, least, t, entity):
    """Persons, distinct sensitive values and the equal distance, over records and over entities."""
    wanted = Wanted(k=k, l={"s": least} if least > 1 else {}, t={} if t is None else {"s": t})
    columns = dict(zip("qsw", zip(*records, strict=True), strict=True))
    some = table(**{name: list(cells) for name, cells in columns.items()})
    task = AnonymizationTask(combinations=(("q",),), entity="w" if entity else None, sensitive=("s",), seed=0)
    codes = some.codes(("q",))
    try:
        rows = rows_of(some, codes, wanted, task)
    except NotMeasurable:
        assert not keeps(records, records, wanted, entity=entity)
        return
    number = codes[rows.first, 0].astype(np.int64) - 1
    classes = sorted(set(columns["q"]))
    expected = [keeps([r for r in records if r[0] == c], records, wanted, entity=entity) for c in classes]
    assert expected == rows.rule.keeps(number, len(classes)).tolist()


@pytest.mark.parametrize(("t", "expected"), [(0.25, True), (0.249, False)])
def test_a_distance_equal_to_t_keeps_it(table, t, expected):
    """A class of p, p, p, q in a table of half p is 3/4 − 1/2 away."""
    some = table(q=list("xxxxyyyy"), s=list("pppqpqqq"))
    task = AnonymizationTask(combinations=(("q",),), entity=None, sensitive=("s",), seed=0)
    rows = rows_of(some, some.codes(("q",)), Wanted(k=1, t={"s": t}), task)
    number = some.codes(("q",))[rows.first, 0].astype(np.int64) - 1
    assert rows.rule.keeps(number, 2).tolist() == [expected, expected]


def test_a_class_shows_one_value_of_a_qid_so_l_of_it_is_refused(table):
    """What is asked of a QID that is sensitive, too, is named with a way out."""
    some = table(q=["a", "a"], s=["x", "y"])
    task = AnonymizationTask(combinations=(("q", "s"),), entity=None, sensitive=("s",), seed=0)
    with pytest.raises(NotMeasurable, match=r"asked of 's', a quasi-identifier, too, .* such as mondrian"):
        rows_of(some, some.codes(("q", "s")), Wanted(k=1, l={"s": 2}), task)
