from dataclasses import fields

import click
import pytest

from qidguard.core.errors import UserError
from qidguard.core.number_format import NumberFormat
from qidguard.engines.base import OF_CSV, OF_DUCKDB, OF_VALUES, READ_WORDS, ReadOptions
from qidguard.interfaces.reading import Reading, listed_names, reading_options
from qidguard.policy import load_policy
from qidguard.policy import source as policy_source

POLICY = {
    "qidguard": 1,
    "name": "p",
    "source": {"delimiter": ";", "missing": ["?"], "trim": True},
    "roles": {"quasi_identifiers": ["age"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    "memory_limit": "1GB",
}


def test_the_command_line_wins_and_the_policy_fills_in():
    """What the command line does not say stays as the policy says."""
    policy = load_policy(POLICY)
    options = Reading(read={"delimiter": ","}, resources={}).options(policy)
    assert (options.delimiter, options.missing, options.is_trimmed) == (",", ("?",), True)
    settings = Reading(read={}, resources={"threads": 1}).settings(policy)
    assert (settings.threads, settings.memory_limit) == (1, policy.memory_limit)


@click.command()
@reading_options
def look(*, reading):
    """Return what was said of reading."""
    return reading


def test_each_option_of_reading_has_one_word_at_every_door():
    """Policy, command and draft say an option alike; what is not said at one door is said at the other."""
    of_files = {"format", "codebook", *OF_CSV, *OF_DUCKDB}
    assert of_files.isdisjoint(OF_VALUES)
    assert of_files | {*OF_VALUES} == {one.name for one in fields(ReadOptions)}
    of_command = {option.name for option in look.params}
    assert set(READ_WORDS.values()) - {"codebook"} <= set(policy_source.ReadingSettings.model_fields)
    assert set(READ_WORDS.values()) - of_command == {"format", "quote", "numbers"}
    assert set(policy_source.Numbers.model_fields) <= of_command


@pytest.mark.parametrize(("typed", "read"), [
    (["--skip-lines", "2"], {"skip_lines": 2}),
    (["--skip-empty-records"], {"skip_empty_records": True}),
    (["--decimal", ",", "--unit", "EUR"], {"numbers": NumberFormat(decimal=",", unit=("EUR",))}),
    (["--dates", "%d.%m.%Y", "--no-trim"], {"dates": ("%d.%m.%Y",), "is_trimmed": False}),
])  # fmt: skip
def test_what_is_typed_is_read_and_named_again(typed, read):
    """The next command that a report shows says the same as the one before."""
    reading = look.main(typed, standalone_mode=False)
    assert reading.read == read
    assert look.main([*reading.words], standalone_mode=False).read == read


@pytest.mark.parametrize("typed", [["--decimal", ",", "--thousands", ","], ["--dates", "dd.mm.yyyy"]])
def test_a_form_that_cannot_be_told_is_refused(typed):
    """One sentence, before any table is read."""
    with pytest.raises(UserError, match=r"thousands|%d\.%m\.%Y"):
        look.main(typed, standalone_mode=False)


@pytest.mark.parametrize(
    ("text", "names"), [("age,sex", ("age", "sex")), ('"a,b", c ', ("a,b", "c")), ("one", ("one",))]
)
def test_names_are_separated_by_commas(text, names):
    """A name with a comma in it stands in double quotes."""
    assert listed_names(text, "--columns") == names


@pytest.mark.parametrize("text", ["", ",", "a,,b", "a,"])
def test_an_empty_name_is_refused(text):
    """A column without a name cannot be meant."""
    with pytest.raises(UserError, match="--columns takes names"):
        listed_names(text, "--columns")
