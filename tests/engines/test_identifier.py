"""Tests of the one place where names become SQL."""

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.errors import DataError
from qidguard.engines.sql.identifier import quote, quote_text

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@pytest.fixture(scope="module")
def database():
    """Return a bare DuckDB as the oracle."""
    with duckdb.connect() as connection:
        yield connection


@settings(max_examples=examples(200), deadline=None)
@given(name=TEXTS.filter(bool))
def test_any_name_comes_back_as_it_is(database, name):
    """A quoted identifier names a column by exactly its text."""
    described = database.execute(f"DESCRIBE SELECT 1 AS {quote(name)}").fetchall()
    assert [row[0] for row in described] == [name]


@settings(max_examples=examples(200), deadline=None)
@given(text=TEXTS)
def test_any_text_comes_back_as_it_is(database, text):
    """A quoted text is a literal of exactly that value."""
    assert database.execute(f"SELECT {quote_text(text)}").fetchall() == [(text,)]


@pytest.mark.parametrize("name", ["", "a\0b", "\0"])
def test_what_sql_cannot_name_is_refused(name):
    """The empty name and NUL characters have no quotation."""
    with pytest.raises(DataError, match="name"):
        quote(name)


def test_a_nul_in_a_text_is_refused():
    """A NUL would end the statement."""
    with pytest.raises(DataError, match="NUL"):
        quote_text("a\0b")
