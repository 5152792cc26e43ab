"""Automatic hierarchies by the kind of a column: one table of values and the labels of each level."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hierarchy_columns import groups, numbers, published, shown, texts
from qidguard.core.column import ValueType
from qidguard.core.kind import ColumnKind
from qidguard.sdk import automatic_hierarchy

KIND = ColumnKind
AGES = numbers(*range(17, 91))
LOST_ZEROS = numbers(2115, 2116, 91301, 91304, 91701, 10001, 10002)
YEAR = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


LEVELS = [
    # kind, column, what some values are published as on each level below the top
    (KIND.ORDINAL, texts(*(f"[{at}-{at + 10})" for at in range(0, 100, 10))),
     {"[0-10)": ["[0-20)", "[0-40)"], "[90-100)": ["[80-100)", "[80-120)"]}),
    (KIND.ORDINAL, texts("0-4", "5-9", "10-14", "15-19"), {"0-4": ["0-9"], "15-19": ["10-19"]}),
    (KIND.ORDINAL, texts("0-17", "18-24", "25-34", "35-64", "65+"),
     {"18-24": ["0-24", "0-64"], "65+": ["65+", "65+"]}),
    (KIND.ORDINAL, texts("[0-25)", "[25-50)", "[50-75)", "[75-100)", ">100", "?"),
     {"[0-25)": ["[0-50)", "[0-100)"], ">100": [">100", ">100"], "?": ["?", "?"]}),
    (KIND.PERIOD, texts(*YEAR),
     {"Feb": ["{Jan, Feb, Mar}", "Jan to Jun"], "Dec": ["{Oct, Nov, Dec}", "Jul to Dec"]}),
    (KIND.ORDINAL, texts("high", "low", "medium", "unknown"),
     {"low": ["{low, medium}"], "high": ["high"], "unknown": ["unknown"]}),
    (KIND.ORDINAL, texts("always", "never", "often", "rarely"),
     {"never": ["{never, rarely}"], "often": ["{often, always}"]}),
    (KIND.ORDINAL, texts("Doctorate", "HS-grad", "Bachelors", "Masters"),
     {"HS-grad": ["{HS-grad, Bachelors}"]}),
    (KIND.ORDINAL, texts("A", "B", "C", "D"), {"A": ["{A, B}"], "D": ["{C, D}"]}),
    (KIND.ORDINAL, texts("3 poor", "1 good", "2 fair"),
     {"1 good": ["{1 good, 2 fair}"], "3 poor": ["3 poor"]}),
    (KIND.ORDINAL, numbers(1, 2, 3, 4, 5), {"1": ["[1, 2]", "[1, 4]"], "5": ["[5, 6]", "[5, 8]"]}),
    (KIND.COUNT, AGES,
     {"17": ["[15, 19]", "[10, 19]", "[0, 19]"], "90": ["[90, 94]", "[90, 99]", "[80, 99]"]}),
    (None, AGES, {"17": ["[15, 19]", "[10, 19]", "[0, 19]"]}),
    (KIND.AMOUNT, numbers(*range(0, 2000, 20), 250_000),
     {"1980": ["[1900, 1999]", "[1800, 1999]", "[1000, 1999]", "[0, 1999]"], "250000": [">= 2000"] * 4}),
    (KIND.AMOUNT, numbers(-4, -3, -2, 0, 1, 2, 3),
     {"-3": ["[-4, -3]", "[-10, -1]"], "0": ["[0, 1]", "[0, 9]"]}),
    (KIND.AMOUNT, numbers(0.1, 0.25, 0.3, 0.7, kind=ValueType.NUMBER), {"0.3": ["[0.0, 0.5)"]}),
    (KIND.AMOUNT, numbers(17, 23.5, 90, kind=ValueType.NUMBER),
     {"17": ["[0.0, 50.0)"], "90": ["[50.0, 100.0)"]}),
    (KIND.CODE, texts("250", "250.01", "250.83", "251", "V57", "8", "8.1"),
     {"250": ["250*", "25*"], "250.01": ["250*", "25*"], "8": ["008*", "00*"], "V57": ["V57*", "V5*"]}),
    (KIND.CODE, numbers(1111, 1112, 1121, 2111, 2112), {"1111": ["111*", "11**"], "2112": ["211*", "21**"]}),
    (KIND.CODE, numbers(1, 2, 3, 11, counts=(9, 1, 1, 5)), {"1": ["1"], "2": ["{2, 3, 11}"]}),
    (KIND.PLACE, texts("10115", "10117", "20095", "20099"), {"10115": ["1011*"], "20095": ["2009*"]}),
    (KIND.PLACE, LOST_ZEROS, {"2115": ["0211*", "02***"], "91304": ["9130*", "91***"]}),
    (KIND.PLACE, texts("SW1A 1AA", "SW1A 2AA", "SW1 1AB", "E1 6AN", "EC1V 9LT"),
     {"SW1A 1AA": ["SW1A", "SW1"], "SW1 1AB": ["SW1", "SW1"]}),
    (KIND.PLACE, texts("1234 AB", "1234 AC", "1235 AA", "1250 AA", "2011 ZZ"), {"1234 AB": ["1234", "12**"]}),
    (KIND.PLACE, texts("K1A 0B1", "K1A 0B2", "K1B 1A1", "L4W 1A1"), {"K1A 0B1": ["K1A", "K1"]}),
    (KIND.PLACE, texts("91304-1000", "91304-1001", "91301-1000", "10001-1000"),
     {"91304-1000": ["91304", "913**"]}),
    (KIND.NOMINAL, numbers(7, 8, 9, 10, counts=(9, 1, 2, 5)), {"7": ["7"], "8": ["{8, 9, 10}"]}),
    (KIND.NOMINAL, texts(*"abcdefgh", counts=(9, 8, 7, 6, 5, 4, 3, 2)),
     {"a": ["a"] * 2, "h": ["other (5 values)", "other (7 values)"]}),
    (KIND.PLACE, texts("Bonn", "Kiel", "Ulm", counts=(5, 1, 2)), {"Bonn": ["Bonn"], "Ulm": ["{Kiel, Ulm}"]}),
    (KIND.TEXT, texts("a note", "b note", "c note"), {"a note": []}),
    (KIND.KEY, numbers(*range(9)), {"3": []}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "column", "expected"), LEVELS)
def test_each_kind_has_its_levels_which_nest_and_grow_coarser(kind, column, expected):
    """What a value is published as, level by level, and * above; no group lacks a label or shares it."""
    found = automatic_hierarchy(column, column_kind=kind)
    assert found.labels[-1] == ("*",)
    for value, labels in expected.items():
        assert [names[column.texts.index(value) - 1] for names in shown(found)] == labels
    sizes = [len(groups(found, level)) for level in range(found.levels)]
    assert all(finer > coarser for finer, coarser in pairwise(sizes))
    for level in range(found.levels):
        assert len(set(found.labels[level])) == len(found.labels[level])
        assert all(published(found, level))
        assert not any(re.search(r"group \d+ of", label) for label in published(found, level))


@pytest.mark.parametrize("kind", [None, *KIND])
@pytest.mark.parametrize(
    "column", [texts(), texts("a"), texts("a", "b"), numbers(), numbers(1), numbers(1, 2)]
)
def test_few_values_have_only_the_top(kind, column):
    """Nothing is merged where a level would say what the top does."""
    assert automatic_hierarchy(column, column_kind=kind).labels[1:] == (("*",),)


def test_the_column_says_its_kind_itself():
    """What records know of a column needs no argument, and an argument wins."""
    column = numbers(*range(9))
    assert automatic_hierarchy(column).levels > 2
    known = type(column)(**{**vars(column), "kind": KIND.KEY})
    assert automatic_hierarchy(known).levels == 2
    assert automatic_hierarchy(known, column_kind=KIND.COUNT).labels == automatic_hierarchy(column).labels


@pytest.mark.parametrize(
    ("kind", "column", "said"),
    [
        (KIND.COUNT, AGES, "automatic (count: bands of 5, 10, 20)"),
        (KIND.PLACE, LOST_ZEROS, "automatic (place: prefixes; leading zeros were lost and are put back)"),
        (KIND.KEY, AGES, "automatic (key: one group)"),
        # where floats do not tell bands of a readable width apart
        (
            KIND.AMOUNT,
            numbers(*(10.0**18 + 256 * at for at in range(40)), kind=ValueType.NUMBER),
            "automatic (amount: quantiles)",
        ),
        (None, texts(*"abc"), "automatic (values: the most frequent stay, the rare are others)"),
    ],
)
def test_the_origin_says_how(kind, column, said):
    """In words, and lost zeros are told."""
    assert automatic_hierarchy(column, column_kind=kind).origin == said


NUMBERS = st.lists(
    st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6).map(lambda number: round(number, 3))),
    min_size=1, max_size=40, unique=True,
)  # fmt: skip


@settings(max_examples=examples(80), deadline=None, derandomize=True, database=None)
@given(NUMBERS, st.booleans())
def test_bands_of_a_level_have_one_width(values, has_decimals):
    """One width of 1, 2 or 5 times a power of ten, open ends apart, and each band holds its value."""
    kind = ValueType.NUMBER if has_decimals else ValueType.INTEGER
    given_numbers = sorted({float(v) if has_decimals else int(v) for v in values})
    column = numbers(*given_numbers, kind=kind)
    found = automatic_hierarchy(column, column_kind=KIND.AMOUNT)
    for level in range(1, found.levels - 1):
        widths = set()
        for label, number in zip(published(found, level), given_numbers, strict=True):
            closed = re.fullmatch(r"\[(\S+), (\S+)([\])])", label)
            if closed is None:
                sign, end = label.split()
                assert number >= float(end) if sign == ">=" else number < float(end)
                continue
            low, high = float(closed[1]), float(closed[2]) + (closed[3] == "]")
            assert low <= number < high or (number == pytest.approx(high) or number == pytest.approx(low))
            widths.add(float(f"{high - low:.6g}"))
        assert len(widths) <= 1
        if found.origin.startswith("automatic (amount: bands"):
            assert all(f"{width:.6e}"[0] in "125" for width in widths)


@settings(max_examples=examples(80), deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.text("0123456789.AV", min_size=1, max_size=6), min_size=1, max_size=30, unique=True),
    st.sampled_from(list(KIND)),
)
def test_any_texts_have_levels_that_nest(values, kind):
    """Codes of any form: ever fewer groups, each value has a label, and masks of one level have one width."""
    column = texts(*sorted(values))
    found = automatic_hierarchy(column, column_kind=kind)
    sizes = [len(groups(found, level)) for level in range(found.levels)]
    assert all(finer > coarser for finer, coarser in pairwise(sizes[:-1]))
    for level in range(1, found.levels - 1):
        shown = published(found, level)
        assert all(shown)
        if kind is KIND.CODE and "prefixes" in found.origin:
            assert len({len(label) for label in shown if label.endswith("*")}) == 1


@pytest.mark.parametrize(
    ("kind", "column", "value", "label"),
    [
        (KIND.CODE, texts("250", "250.01", "251", "V57", "401.9", name="diag_1"), "250.01", "250"),
        (KIND.PLACE, texts("France", "Germany", "Japan", "Kenya", name="country"), "France",
         "Western Europe"),
        (KIND.PLACE, numbers(2115, 2116, 2210, 10001, name="zip"), "2115", "021"),
    ],
)  # fmt: skip
def test_codes_of_a_published_system_have_its_groups(kind, column, value, label):
    """A family, a region and three digits, as the system has them; the kind is told with its name."""
    found = automatic_hierarchy(column, column_kind=kind)
    assert shown(found)[0][column.texts.index(value) - 1] == label
    assert found.origin.startswith(f"automatic ({kind.value}: ")


@pytest.mark.parametrize(("kind", "many"), [(KIND.AMOUNT, 40), (None, 8)])
def test_what_is_no_finite_number_stays_apart(kind, many):
    """Infinity and a suppressed cell are in no band and no interval, and the top covers them."""
    found = automatic_hierarchy(numbers(*range(many), "inf", "*", kind=ValueType.NUMBER), column_kind=kind)
    for level in range(1, found.levels - 1):
        assert groups(found, level)[-2:] == [{many + 1}, {many + 2}]
    assert groups(found, found.levels - 1) == [set(range(1, many + 3))]


@pytest.mark.parametrize(
    "values",
    [
        (1e300, 2e300, 5e300, 1e-300),
        (-1e308, 0.0, 1.0, 1e308),
        (5e-324, 1e-323, 2e-323, 5e-323),
        (1.5, 2.5, 3.5, "inf", "-inf"),
        (0.1, 0.2, 0.30000000000000004, 1e15),
        tuple(10**15 + 37 * at for at in range(50)),
    ],
)
def test_extreme_numbers_have_levels(values):
    """The largest, the smallest and infinite ones: no warning, and every value has a label."""
    found = automatic_hierarchy(numbers(*values, kind=ValueType.NUMBER), column_kind=KIND.AMOUNT)
    assert all(all(published(found, level)) for level in range(found.levels))
    assert len(found.origin) < 90


@pytest.mark.parametrize("kind", [KIND.NOMINAL, KIND.CODE, KIND.PLACE, KIND.KEY, KIND.TEXT])
def test_codes_are_no_numbers(kind):
    """Arithmetic on what stands for something else makes no sense; its order is still known."""
    column = type(AGES)(**{**vars(AGES), "kind": kind})
    assert not column.is_numeric
    assert column.has_scale
    assert np.isfinite(column.numbers[1:]).all()
