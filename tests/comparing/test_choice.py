"""How methods are written."""

import pytest

from qidguard import UserError
from qidguard.comparing.choice import choices


def test_brackets_hold_parameters_with_their_types():
    """Whole numbers, numbers, truth values and texts are told apart; commas in brackets part parameters."""
    [first, second] = choices("a[k=5, x=.5, flag=true, word=means], b")
    assert dict(first.parameters) == {"k": 5, "x": 0.5, "flag": True, "word": "means"}
    assert (second.method, dict(second.parameters)) == ("b", {})


def test_settings_hold_wherever_the_method_stands_and_brackets_win():
    """``--set a.k=5`` is the row's own unless its brackets say otherwise."""
    found = choices("a, a[k=3]", ["a.k=5", "a.publish=sets"])
    assert [dict(one.parameters) for one in found] == [
        {"k": 5, "publish": "sets"},
        {"k": 3, "publish": "sets"},
    ]


def test_a_setting_beside_all_makes_a_row():
    """A method that is only set is named by that, where all stand."""
    assert [one.label for one in choices("all", ["a.k=5"])] == ["all", "a[k=5]"]


@pytest.mark.parametrize(
    ("written", "settings", "sentence"),
    [
        ("a", ["k=5"], "must be METHOD.PARAMETER=VALUE"),
        ("a", ["a.k"], "must be PARAMETER=VALUE"),
        ("a", ["b.k=5"], "--set names b, which --methods does not"),
        ("a", ["a.k=5", "a.k=6"], "a.k stands twice"),
        ("a[k=1,k=2]", [], "a has k twice"),
        ("a,a", [], "names a twice"),
        ("a]b", [], "must be a name"),
        ("a[k]", [], "must be PARAMETER=VALUE"),
        (" ", [], "must be a name"),
        ("", [], "names no method"),
    ],
)
def test_a_mistake_says_what_is_wrong(written, settings, sentence):
    """Every mistake is one sentence of the user's error."""
    with pytest.raises(UserError, match=sentence.replace("[", r"\[").replace(".", r"\.")):
        choices(written, settings)
