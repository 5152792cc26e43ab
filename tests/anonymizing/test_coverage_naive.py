"""Coverage against a naive reader that knows what it wrote, on random columns."""

import csv
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from columns import column
from examples import examples
from qidguard.sdk import Hierarchy, ValueType, interval_text, read_coverage, set_text

NUMBERS = st.lists(st.one_of(st.none(), st.integers(-20, 20)), min_size=1, max_size=12)
TEXTS = st.lists(st.one_of(st.none(), st.text('ab,{}[]()"*-1 ', max_size=4)), min_size=1, max_size=8)
SETTINGS = settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)


def naive_loss(values, members):
    """Return the loss of a set of values by counting or by width."""
    domain, inside = set(values), set(members)
    if any(isinstance(value, str) for value in domain) or domain == {None}:
        return Fraction(len(inside) - 1, max(len(domain) - 1, 1))
    numbers, held = sorted(domain - {None}), sorted(inside - {None})
    loss = Fraction(0)
    if held and numbers[-1] > numbers[0]:
        loss += Fraction(held[-1] - held[0], numbers[-1] - numbers[0])
    if held and None in inside:
        loss += Fraction(1, len(domain) - 1)
    return min(loss, Fraction(1))


@pytest.mark.slow
@SETTINGS
@given(values=NUMBERS.filter(any), data=st.data())
def test_intervals_of_numbers(values, data):
    """Any two values make an interval that covers what lies between, and costs its width."""
    low, high = sorted(data.draw(st.tuples(*2 * [st.sampled_from([v for v in values if v is not None])])))
    before = column(values, value_type=ValueType.INTEGER)
    read = read_coverage(before, column([interval_text(str(low), str(high))]))
    members = {value for value in values if value is not None and low <= value <= high}
    assert {str(value) for value in members} == {before.texts[code] for code in read.covered(1)}
    assert float(naive_loss(values, members)) == pytest.approx(read.loss[1], abs=1e-12)


@pytest.mark.parametrize("column_of", [NUMBERS, TEXTS], ids=["numbers", "hostile texts"])
@SETTINGS
@given(data=st.data())
def test_sets_cover_their_members_and_cost_what_these_span(column_of, data):
    """By pair and in all: from the lowest to the highest, or their number; texts hold commas and brackets."""
    values = data.draw(column_of.filter(any))
    distinct = sorted(set(values), key=lambda value: (value is not None, value))
    sets = data.draw(
        st.lists(st.lists(st.sampled_from(distinct), min_size=1, unique=True).filter(lambda s: s != [None]),
                 min_size=1, max_size=4),
    )  # fmt: skip
    kind = ValueType.TEXT if any(isinstance(value, str) for value in values) else ValueType.INTEGER
    before = column(values, value_type=kind)
    texts = {set_text([None if one is None else str(one) for one in members]): members for members in sets}
    after = column(list(texts), value_type=ValueType.TEXT)
    read = read_coverage(before, after)
    mass = np.zeros(len(before.texts))
    for code, text in enumerate(after.texts[1:], start=1):
        if text == "*" or text in before.texts:  # the mark, or a value that looks like a set
            continue
        expected = {None if one is None else str(one) for one in texts[text]}
        assert expected == {before.texts[at] for at in read.covered(code)}
        assert len(expected) == read.counts[code]
        assert float(naive_loss(values, texts[text])) == pytest.approx(read.loss[code], abs=1e-12)
        mine = [at for at, one in enumerate(before.texts) if one in expected]
        pairs = read.covers(code, np.arange(len(before.texts)))
        assert mine == [at for at in np.flatnonzero(pairs) if at or None in values]
        weight = np.zeros(len(after.texts))
        weight[code] = 3
        mass[:] = 0
        mass[mine] = 3 / len(mine)
        assert mass == pytest.approx(read.spread(weight), abs=1e-12)


@SETTINGS
@given(values=NUMBERS)
def test_a_table_that_nothing_happened_to_lost_nothing(values):
    """Each value stands for itself and costs nothing, NULL included."""
    before = column(values, value_type=ValueType.INTEGER if any(values) else ValueType.EMPTY)
    read = read_coverage(before, before)
    assert not read.loss_of(before.codes, before.codes).any()
    assert read.covers(before.codes, before.codes).all()
    assert (read.counts[np.unique(before.codes)] == 1).all()


@SETTINGS
@given(values=NUMBERS.filter(any), data=st.data())
def test_wider_is_never_cheaper(values, data):
    """An interval within another one costs no more, whatever the original was."""
    a, b, c, d = sorted(data.draw(st.tuples(*4 * [st.integers(-25, 25)])))
    before = column(values, value_type=ValueType.INTEGER)
    read = read_coverage(before, column([f"[{b}, {c}]", f"[{a}, {d}]"], value_type=ValueType.TEXT))
    texts = sorted({f"[{b}, {c}]", f"[{a}, {d}]"})
    inner, outer = (1 + texts.index(text) for text in (f"[{b}, {c}]", f"[{a}, {d}]"))
    assert read.loss[inner] <= read.loss[outer] + 1e-12
    originals = np.arange(1, len(before.texts))
    assert (read.loss_of(inner, originals) <= read.loss_of(outer, originals) + 1e-12).all()


def bound(path, values, name):
    """Return a file's hierarchy over some values, made without the product's own reader."""
    with path.open(encoding="utf-8") as lines:
        rows = {row[0]: row for row in csv.reader(lines, delimiter=";")}
    before = column(values, name=name)
    groups, labels = [np.arange(len(before.texts))], [before.texts]
    *below, top = zip(*([*rows[text][1:]] for text in before.texts[1:]), strict=True)
    for of_code in below:
        here = sorted(set(of_code))
        groups.append(np.array([0, *(1 + here.index(label) for label in of_code)]))
        labels.append((None, *here))
    groups.append(np.zeros(len(before.texts)))
    labels.append(tuple(sorted(set(top))))
    made = Hierarchy(column=name, groups=np.stack(groups).astype(np.int32), labels=tuple(map(tuple, labels)))
    return before, made, rows


@pytest.mark.realdata
@pytest.mark.parametrize(
    "name",
    ["age", "education", "marital-status", "native-country", "occupation", "race", "salary-class", "sex",
     "workclass"],
)  # fmt: skip
def test_labels_of_adult(data, name):
    """Every label of every level of Adult's files covers the values whose row says so."""
    path = data / "adult" / "hierarchies" / f"{name}.csv"
    with path.open(encoding="utf-8") as lines:
        values = [row[0] for row in csv.reader(lines, delimiter=";")]
    before, made, rows = bound(path, [int(v) for v in values] if name == "age" else values, name)
    labels = sorted({label for row in rows.values() for label in row[1:]})
    read = read_coverage(before, column(labels), made)
    assert not read.unreadable
    for code, label in enumerate(labels, start=1):
        if label in before.texts:
            continue
        above = range(1, len(next(iter(rows.values()))))
        levels = [{v for v, row in rows.items() if row[level] == label} for level in above]
        assert max(levels, key=len) == {before.texts[at] for at in read.covered(code)}


@pytest.mark.slow
def test_many_distinct_numbers():
    """As many distinct numbers as intervals: every record is where a count of its own puts it."""
    size = 50_000
    before = column(list(range(size)))
    after = column([f"[{at}, {at + 50}]" for at in range(0, 2 * size, 2)])
    read = read_coverage(before, after)
    at = np.arange(1_000_000) % size
    hits = read.covers(1 + at, at)
    lows = np.array([int(text[1:].split(",")[0]) for text in after.texts[1:]])
    ages = np.arange(size) - 1  # code 0 is NULL
    expected = (lows <= ages) & (ages <= lows + 50)
    assert expected.tolist() == hits[:size].tolist()
