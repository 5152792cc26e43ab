"""Top and bottom coding by hand; the safe harbor's rule for ages as an example."""

import numpy as np
import pytest

from qidguard.sdk import ColumnValues, Original, UserError, ValueType
from qidguard_standard.anonymizers.recoding.top_bottom_coding import TopBottomCoding, coding_limit

CODING = TopBottomCoding()


def test_ages_over_89_become_90_and_older(table, anonymized):
    """The HIPAA safe harbor: 90 and above are one category, 89 stays."""
    some = table(age=[30, 89, 90, 95, 101])
    found = anonymized(CODING, some, ("age",), k=3, top="age=90")
    assert found.shown["age"] == ["30", "89", ">= 90", ">= 90", ">= 90"]
    assert found.done.guarantees == ()
    assert found.done.notes == ()


def test_the_limit_itself_keeps_a_number(table, anonymized):
    """publish: limit gives whole numbers for whole numbers."""
    some = table(age=[2, 30, 91, 95])
    found = anonymized(CODING, some, ("age",), k=1, top="age=90", bottom="age=18", publish="limit")
    assert found.shown["age"] == ["18", "30", "90", "90"]
    added = [value for value in found.done.columns["age"].values if not isinstance(value, Original)]
    assert added == [90, 18]
    assert all(type(value) is int for value in added)


def test_null_stays(table, anonymized):
    """What is missing is beyond no limit."""
    some = table(age=[None, 95, 95])
    assert anonymized(CODING, some, ("age",), k=2, top="age=90").shown["age"] == [None, ">= 90", ">= 90"]


def test_a_limit_beyond_which_too_few_lie_moves_inwards(table, anonymized):
    """One person over 89 would be singled out: the limit goes to where three are, and to a round number."""
    some = table(age=[*range(20, 81), 95])
    found = anonymized(CODING, some, ("age",), k=3, top="age=90")
    # the third highest is 79, the range 75, so the step is 2: 78
    assert found.shown["age"][-4:] == [">= 78"] * 4
    assert found.shown["age"][:-4] == [str(age) for age in range(20, 78)]
    assert found.done.notes == ("the top of 'age' was moved inwards, so that 3 persons lie beyond it",)


def test_a_bottom_moves_inwards_too(table, anonymized):
    """Mirrored: 0 alone is joined by the two above it, and rounded upwards."""
    some = table(age=[0, *range(21, 81)])
    found = anonymized(CODING, some, ("age",), k=3, bottom="age=5")
    # the third lowest is 22; 80 values wide, so the step is 2
    assert found.shown["age"][:4] == ["<= 22", "<= 22", "<= 22", "23"]


def test_persons_are_entities(table, anonymized):
    """Three records of one person over 89 are one person."""
    some = table(age=[*range(20, 81), 95, 95, 95], who=[*map(str, range(61)), "x", "x", "x"])
    alone = anonymized(CODING, some, ("age",), k=3, top="age=90").shown["age"]
    assert alone.count(">= 90") == 3
    persons = anonymized(CODING, some, ("age",), k=3, top="age=90", entity="who").shown["age"]
    assert persons.count(">= 78") == 6


def test_a_quantile_is_no_value_of_the_table(table, anonymized):
    """The 90 % quantile of 1..1000 is 900; of 13 times these it is rounded inwards to a step of 500."""
    some = table(income=[13 * i for i in range(1, 1001)])
    shown = anonymized(CODING, some, ("income",), k=1, top="income=90%").shown["income"]
    assert [text for text in shown if ">" in text] == [">= 11500"] * (1000 - 11500 // 13)


def test_dates_have_tops():
    """A limit of a date column is a date, labeled as one."""
    days = [0.0, 18628.0, 18993.0]  # 1970-01-01, 2021-01-01, 2022-01-01
    born = ColumnValues(
        name="born",
        value_type=ValueType.DATE,
        codes=np.array([1, 2, 3, 3], dtype=np.int32),
        texts=(None, "1970-01-01", "2021-01-01", "2022-01-01"),
        numbers=np.array([np.nan, *days]),
    )
    limit = coding_limit(born, "2021-06-30", 2, None, is_top=True)
    assert (limit.label, limit.is_moved) == (">= 2021-06-30", False)
    assert limit.beyond(born.numbers).tolist() == [False, False, False, True]
    with pytest.raises(UserError, match="must be a date"):
        coding_limit(born, "90", 2, None, is_top=True)


def test_fractions_keep_their_digits(table, anonymized):
    """A number column may have a fractional limit; a whole one has the next whole number."""
    some = table(x=[0.5, 1.5, 2.5])
    assert anonymized(CODING, some, ("x",), k=1, top="x=1.25").shown["x"] == ["0.5", ">= 1.25", ">= 1.25"]
    whole = table(x=[1, 2, 3])
    assert anonymized(CODING, whole, ("x",), k=1, top="x=1.25").shown["x"] == ["1", ">= 2", ">= 2"]
