"""Local recoding by hand, against an exhaustive search, and on tables where the rule is hard to keep."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard import NotMeasurable
from qidguard_standard.anonymizers.recoding import cheapest_classes
from qidguard_standard.anonymizers.recoding import column_levels as module
from qidguard_standard.anonymizers.recoding.column_levels import column_levels
from qidguard_standard.anonymizers.recoding.local_recoding import LocalRecoding

RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["10", "11", "12", "20", "21", None]),
        st.sampled_from(["xa", "xb", "ya", None]),
        st.sampled_from("pqr"),
        st.sampled_from("1234"),
    ),
    min_size=1,
    max_size=14,
)


def by_prefix(text):
    """The level between exact and top: the first letter."""
    return text[0]


@pytest.fixture(scope="module")
def recoded(anonymized, tree):
    """Return a function that recodes a table over columns a and b by the first letter of their values."""

    def run(records, **options):
        hierarchies = {name: tree(records.column(name), by_prefix) for name in "ab"}
        return anonymized(LocalRecoding(), records, "ab", hierarchies=hierarchies, **options)

    return run


def test_each_class_takes_the_lowest_levels_that_make_it_large_enough(table, recoded):
    """Two are alike as they are, two by their first letter, and nobody needs the top."""
    some = table(a=["10", "10", "20", "21"], b=["xa", "xa", "ya", "ya"])
    found = recoded(some, k=2)
    assert found.shown == {"a": ["10", "10", "2", "2"], "b": ["xa", "xa", "ya", "ya"]}
    assert list(found.done.columns) == ["a"]
    assert found.kept == [True] * 4
    assert [(c.metric, c.limit.value, c.qids) for c in found.done.guarantees] == [
        ("k_anonymity", 2, ("a", "b"))
    ]


def test_a_record_left_over_joins_the_class_that_loses_least(table, recoded):
    """21 of ya joins 20 of ya, not the class that differs in both columns."""
    some = table(a=["10", "10", "20", "20", "21"], b=["xa", "xa", "ya", "ya", "ya"])
    assert recoded(some, k=2).shown == {
        "a": ["10", "10", "2", "2", "2"],
        "b": ["xa", "xa", "ya", "ya", "ya"],
    }


def test_the_lowest_level_is_published_though_the_class_was_found_higher(table, recoded):
    """A class of the top in column a only shows 1, for all of its records are 1."""
    some = table(a=["10", "11", "10", "11"], b=["xa", "xb", "ya", None])
    shown = recoded(some, k=4).shown
    assert shown["a"] == ["1"] * 4
    assert shown["b"] == ["*"] * 4


def test_null_is_a_value_of_its_own(table, recoded):
    """Two NULLs are alike and stay NULL; one NULL goes to the top with others."""
    some = table(a=[None, None, "10"], b=["xa", "xa", "xa"])
    assert recoded(some, k=2).shown["a"] == ["*"] * 3
    two = table(a=[None, None, "10", "10"], b=["xa"] * 4)
    assert recoded(two, k=2).shown["a"] == [None, None, "10", "10"]


@settings(derandomize=True, database=None, max_examples=examples(150), deadline=None)
@given(
    records=RECORDS, k=st.integers(1, 3), least=st.integers(0, 2), entity=st.booleans(), small=st.booleans()
)
def test_what_is_claimed_holds_for_what_is_published(
    table, recoded, persons_in_classes, records, k, least, entity, small
):
    """Classes are counted one by one; where nothing is found, the whole table does not keep the rule."""
    some = table(
        **{name: list(cells) for name, cells in zip("absw", zip(*records, strict=True), strict=True)}
    )
    before = cheapest_classes.MOST_VECTORS, module.MOST_ALONE
    if small:  # levels are left out, columns raised one by one, and leftover rows start together
        cheapest_classes.MOST_VECTORS, module.MOST_ALONE = 3, 1
    try:
        found = recoded(some, k=k, l=least, sensitive=("s",), entity="w" if entity else None)
    except NotMeasurable:
        persons = len({r[3] for r in records}) if entity else len(records)
        assert persons < k or len({r[2] for r in records}) < least
        return
    finally:
        cheapest_classes.MOST_VECTORS, module.MOST_ALONE = before
    shown = found.shown
    assert all(found.kept)
    assert shown["s"] == [r[2] for r in records]
    assert min(persons_in_classes(shown, "ab", "w" if entity else None).values()) >= k
    assert min(persons_in_classes(shown, "ab", "s").values()) >= least
    for name, place in (("a", 0), ("b", 1)):
        for cell, record in zip(shown[name], records, strict=True):
            value = record[place]
            assert cell in ({value, value[0], "*"} if value else {None, "*"})


@settings(derandomize=True, database=None, max_examples=examples(60), deadline=None)
@given(records=RECORDS, seed=st.integers(0, 99))
def test_the_order_of_records_and_the_seed_change_no_k(table, recoded, records, seed):
    """Shuffled records publish the same cells, since equal records are handled together."""
    order = np.random.default_rng(seed).permutation(len(records))
    names = [[r[0] for r in records], [r[1] for r in records]]
    try:
        first = recoded(table(a=names[0], b=names[1]), k=2).shown
    except NotMeasurable:
        return
    shuffled = recoded(table(a=[names[0][i] for i in order], b=[names[1][i] for i in order]), k=2, seed=seed)
    assert {name: [cells[i] for i in order] for name, cells in first.items()} == shuffled.shown


def lost(found, table, tree):
    """The loss of what is published, by its labels."""
    total = 0.0
    for name in "ab":
        values = table.column(name)
        one = column_levels(values, tree(values, by_prefix))
        labels = {}
        for level, number in enumerate(one.numbers):
            for code in range(len(values.texts)):
                label = one.hierarchy.labels[number][one.hierarchy.groups[number][code]]
                labels[code, label] = min(labels.get((code, label), 1.0), one.loss[level, code])
        total += sum(
            labels[int(code), cell] for code, cell in zip(values.codes, found.shown[name], strict=True)
        )
    return total


def least_loss(table, tree, k):
    """The least loss over all ways to give each record one of its generalizations, k alike."""
    options = []
    columns = {}
    for name in "ab":
        values = table.column(name)
        columns[name] = values, column_levels(values, tree(values, by_prefix))
    for record in range(table.records):
        mine = []
        for levels in product(*(range(len(columns[name][1].numbers)) for name in "ab")):
            key, loss = [], 0.0
            for name, level in zip("ab", levels, strict=True):
                values, one = columns[name]
                code = values.codes[record]
                key.append((level, int(one.groups[level, code])))
                loss += float(one.loss[level, code])
            mine.append((tuple(key), loss))
        options.append(mine)
    best = np.inf
    for choice in product(*options):
        keys = [key for key, _ in choice]
        if all(keys.count(key) >= k for key in keys):
            best = min(best, sum(loss for _, loss in choice))
    return best


@settings(derandomize=True, database=None, max_examples=examples(25), deadline=None)
@given(
    records=st.lists(
        st.tuples(st.sampled_from(["10", "11", "20"]), st.sampled_from(["xa", "ya"])), min_size=2, max_size=5
    )
)
def test_the_loss_is_never_below_the_least_possible_and_never_above_all(table, recoded, tree, records):
    """Every assignment of generalizations to at most five records is tried."""
    some = table(a=[r[0] for r in records], b=[r[1] for r in records])
    actual = lost(recoded(some, k=2), some, tree)
    assert least_loss(some, tree, 2) - 1e-9 <= actual <= 2 * len(records) + 1e-9


def test_large_groups_of_one_sensitive_value_join_small_classes(table, recoded):
    """Ten of p alike and one of q beside them need not go to the top: q's class takes them in."""
    some = table(
        a=["10"] * 10 + ["11", "11", "20", "20"],
        b=["xa"] * 10 + ["xa", "xa", "ya", "ya"],
        s=list("pppppppppp" + "pq" + "pq"),
    )
    shown = recoded(some, k=2, l=2, sensitive=("s",)).shown
    assert shown["a"] == ["1"] * 12 + ["20"] * 2


def test_t_is_kept_of_the_whole_table(table, recoded):
    """With t = .1 a class of p alone is too far from a table of half p; halves are not."""
    some = table(a=["10", "10", "11", "11"], b=["xa"] * 4, s=list("ppqq"))
    assert recoded(some, k=2, t=0.1, sensitive=("s",)).shown["a"] == ["1"] * 4
    other = table(a=["10", "10", "11", "11"], b=["xa"] * 4, s=list("pqpq"))
    assert recoded(other, k=2, t=0.1, sensitive=("s",)).shown["a"] == ["10", "10", "11", "11"]


def test_a_column_without_a_hierarchy_takes_the_automatic_one(table, anonymized, persons_in_classes):
    """Numbers become intervals of which each holds k."""
    some = table(age=[20, 21, 22, 23, 40, 41, 42, 43])
    shown = anonymized(LocalRecoding(), some, ("age",), k=2).shown
    assert min(persons_in_classes(shown, ("age",)).values()) >= 2
    assert "*" not in shown["age"]
