"""How methods are written."""

import pytest

from qidguard import UserError
from qidguard.trials.comparing.comparison import choices


def test_brackets_hold_parameters_with_their_types():
    """Whole numbers, numbers, truth values and texts are told apart; commas in brackets part parameters."""
    [first, second] = choices("a[k=5, x=.5, flag=true, word=means], b")
    assert dict(first.parameters) == {"k": 5, "x": 0.5, "flag": True, "word": "means"}
    assert (second.name, dict(second.parameters)) == ("b", {})


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("a[k=1,k=2]", "a has k twice"),
        ("a,a", "name a twice"),
        ("a]b", "must be a name"),
        ("a[k]", "must be PARAMETER=VALUE"),
        (" ", "must be a name"),
        ("", "name no anonymizer"),
    ],
)
def test_a_mistake_says_what_is_wrong(written, sentence):
    """Every mistake is one sentence of the user's error."""
    with pytest.raises(UserError, match=sentence.replace("[", r"\[").replace(".", r"\.")):
        choices(written)
