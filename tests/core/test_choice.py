"""Parameters in brackets are written as in a policy: numbers, words, lists, and a value for each column."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard import UserError
from qidguard.core.choice import Choice, choice_parts

BOUNDS = {"age": [17, 90], "hours-per-week": [1, 99]}


@pytest.mark.parametrize(
    ("written", "parameters"),
    [
        ("noise", {}),
        ("noise[]", {}),
        ("noise[k=5, is_strict=true, at=.5]", {"k": 5, "is_strict": True, "at": 0.5}),
        ("noise[how=squared]", {"how": "squared"}),
        ("noise[bounds={age: [17, 90], hours-per-week: [1, 99]}]", {"bounds": BOUNDS}),
        ("noise[ bounds = { age:[17,90],hours-per-week:[1,99] } , k=5 ]", {"bounds": BOUNDS, "k": 5}),
        ("noise[epsilon=1/2, of=[a, 'b, c'], none={}]", {"epsilon": "1/2", "of": ["a", "b, c"], "none": {}}),
        ("""noise[m={'a: b]': 1, "it's": two}]""", {"m": {"a: b]": 1, "it's": "two"}}),
        ("noise[at={rate: 0.1}]", {"at": {"rate": 0.1}}),
        ("noise[mark=it's]", {"mark": "it's"}),
        ("noise[path=s3://here/a=b]", {"path": "s3://here/a=b"}),
    ],
)  # fmt: skip
def test_what_is_written_is_what_is_read(written, parameters):
    """And written again it is read the same."""
    found = Choice.read(written)
    assert (found.name, found.parameters) == ("noise", parameters)
    assert Choice.read(str(found)) == found


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("noise[bounds={age: [17, 90]]", "must be a name, or a name"),
        ("noise[bounds={age: [17, 90}]]", "must be a name, or a name"),
        ("noise[k=5]]", "must be a name, or a name"),
        ("noise[k=5], other[k=2]", "must be a name, or a name"),
        ("noise[k='5]", "must be a name, or a name"),
        ("noise[k=5", "must be a name, or a name"),
        ("noise[bounds={age}]", "'age' must be NAME: VALUE, such as age"),
        ("noise[bounds={:age: 1}]", "must be NAME: VALUE"),
        ("noise[bounds={age:}]", "must be NAME: VALUE"),
        ("noise[bounds={age: 1, 'age': 2}]", "has 'age' twice"),
        ("noise[bounds={age: 1} 2]", "must be a value such as"),
        ("noise[k=1, k=2]", "has k twice"),
        ("noise[k]", "must be PARAMETER=VALUE"),
        ("noise[k=" + "[" * 9 + "1" + "]" * 9 + "]", "more than 4 brackets in each other"),
    ],
)
def test_what_is_no_choice_is_refused(written, said):
    """With what is wrong; nothing of it is run."""
    with pytest.raises(UserError, match=said):
        Choice.read(written)


def test_commas_in_brackets_part_nothing():
    """Several choices stand in one text."""
    both = "noise[bounds={age: [17, 90]}],mondrian, mdav[k=5, publish=means]"
    assert choice_parts(both) == ["noise[bounds={age: [17, 90]}]", "mondrian", " mdav[k=5, publish=means]"]


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\"'", exclude_categories=("C", "Z")))
_NAMES = _TEXTS.filter(bool)
_ONE = st.one_of(st.integers(), st.booleans(), _TEXTS.filter(bool), st.floats(allow_nan=False))


@given(st.dictionaries(st.sampled_from(["k", "bounds"]), st.one_of(
    _ONE, st.lists(_ONE), st.dictionaries(_NAMES, st.one_of(_ONE, st.lists(_ONE)))
)))  # fmt: skip
def test_every_choice_is_read_as_it_was_written(parameters):
    """Numbers, texts with any sign of the notation, lists and mappings of them."""
    written = Choice(name="noise", parameters=parameters)
    assert Choice.read(str(written)) == written
    assert choice_parts(f"{written},other") == [str(written), "other"]


@given(st.text("[]{},:='\"a1 ", max_size=30))
def test_no_text_breaks_the_reading(text):
    """It is read, or refused in a sentence."""
    with suppress(UserError):
        read = Choice.read(f"noise[{text}]")
        assert Choice.read(str(read)).name == "noise"
