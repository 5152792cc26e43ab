"""Columns and numbers read from a parameter's text."""

import pytest

from qidguard import NotMeasurable, UserError
from qidguard_standard.anonymizers.recoding.column_list import (
    check_columns,
    column_list,
    numbers_by_column,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" age , sex,age ", ("age", "sex")),
        ('["a, b", "c"]', ("a, b", "c")),
        ('["[x]"]', ("[x]",)),
    ],
)
def test_lists_stand_between_commas_or_in_json(text, expected):
    """White space and repetition do not count; JSON keeps commas inside names."""
    assert expected == column_list("columns", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age=5, income = 1e3", {"age": "5", "income": "1e3"}),
        ('{"a=b, c": 5}', {"a=b, c": "5"}),
        ("a=b=5", {"a=b": "5"}),
        ("", {}),
    ],
)
def test_numbers_stand_behind_their_columns(text, expected):
    """The last = counts; JSON keeps any name."""
    assert expected == numbers_by_column("base", text)


@pytest.mark.parametrize("text", ["[1]", "[", '["a"'])
def test_a_broken_list_is_the_users_error(text):
    """Whatever begins as JSON must be a list of texts."""
    with pytest.raises(UserError, match="columns"):
        column_list("columns", text)


@pytest.mark.parametrize("text", ["age", "age=", "=5", "age=5, age=6", "{", '{"a"}'])
def test_a_broken_table_of_numbers_is_the_users_error(text):
    """A part without column or number, a column named twice, broken JSON."""
    with pytest.raises(UserError, match="base"):
        numbers_by_column("base", text)


def test_a_column_that_may_not_be_changed_is_named_with_those_that_may():
    """The sentence names both."""
    with pytest.raises(NotMeasurable, match=r"'importance' names 'salary'.*'age', 'sex'"):
        check_columns("importance", ("age", "salary"), ("age", "sex"))
