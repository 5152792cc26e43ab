"""``qidguard compare``: what it prints, writes and returns."""

import json

import jsonschema
import pytest

from qidguard_comparison.plugin import comparison_schema

METHODS = "mondrian,small_class_suppression[k=3]"


@pytest.fixture
def compared(run, table, write_policy):
    """Return a function that runs the command on eight records with classes of 3, 3 and 2."""
    policy = write_policy(limit=3)
    return lambda *arguments: run("compare", table, "--policy", policy, "--seed", "1", *arguments)


@pytest.mark.slow
def test_methods_stand_beside_one_another(compared, secret):
    """Suppressing two of eight records passes, as merging classes does; no value that is alone is told."""
    code, out, err = compared("--anonymizers", METHODS, "--attack", "linkage")
    assert (code, err) == (0, "")
    said = ("as it is", "does not hold", "loses least", secret)
    assert [words in out for words in said] == [True, True, True, False]


def test_none_that_passes_is_exit_1(compared):
    """Nothing may be suppressed, so the policy holds on nothing."""
    code, out, _ = compared("--anonymizers", "small_class_suppression[k=3,most_suppressed=0.0]")
    assert code == 1
    assert "No method makes the policy hold." in out
    assert "2 of 8 records suppressed" in " ".join(out.split())


@pytest.mark.parametrize(("arguments", "sentence"), [
    (("--anonymizers", "no_such"), "there is no anonymizer 'no_such'"),
    (("--with", "no_such"), "there is no anonymizer 'no_such'"),
    (("--anonymizers", "mondrian[j=1]"), "unknown parameter 'j'"),
    (("--anonymizers", "mondrian", "--attack", "no_such"), "there is no attack 'no_such'"),
    (("--anonymizers", "mondrian", "--plot", "x.pdf"), "saved as .png, .svg or .html"),
    (("--anonymizers", "mondrian", "--output", "a.svg", "--plot", "a.svg"), "--output and --plot both name"),
])  # fmt: skip
def test_a_mistake_is_exit_2(compared, arguments, sentence):
    """One sentence says what is wrong, and nothing else is printed."""
    code, out, err = compared(*arguments)
    assert (code, out) == (2, "")
    assert sentence in " ".join(err.split())


@pytest.mark.slow
def test_json_keeps_the_published_schema(compared, tmp_path, secret):
    """The document is what ``qidguard schema comparison`` describes, and holds no value of the table."""
    place = tmp_path / "c.json"
    code, out, _ = compared("--anonymizers", METHODS, "--format", "json", "--output", str(place))
    text = place.read_text(encoding="utf-8")
    assert (code, out, secret in text) == (0, "", False)
    jsonschema.validate(json.loads(text), json.loads(comparison_schema()))


def test_the_schema_is_printed(run):
    """The command prints what the plugin says."""
    assert json.loads(run("schema", "comparison")[1]) == json.loads(comparison_schema())


@pytest.mark.slow
def test_the_plot_is_saved(compared, tmp_path, secret):
    """The picture is there and holds no value of the table."""
    code, _, err = compared("--anonymizers", METHODS, "--plot", str(tmp_path / "f.svg"))
    assert (code, err.split()[-1]) == (0, str(tmp_path / "f.svg"))
    drawn = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert secret not in drawn


@pytest.mark.slow
def test_all_takes_what_can_take_k_from_the_policy(compared):
    """What must be told more, such as the k of suppression, stands aside; what cannot is a row."""
    code, out, err = compared("--anonymizers", "all")
    assert (code, err) == (0, "")
    assert "mondrian" in out
    assert "small_class_suppression" not in out
