import json

import pytest

import qidguard
from qidguard.host import load_host
from qidguard.host.kinds import KINDS
from qidguard.policy import PRESETS


def test_every_metric_is_one_line(run):
    """The list has a line a metric, sorted, with its title."""
    code, out, _ = run("explain")
    metrics = load_host().metrics
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == sorted(metrics)
    assert all(metrics[line.split()[0]].title in line for line in out.splitlines())


@pytest.mark.slow
def test_each_explanation_is_complete(run):
    """Meaning, formula, source and good value of every metric stand in its explanation, word for word."""
    for name, metric in load_host().metrics.items():
        code, out, _ = run("explain", name)
        words = " ".join(out.split())
        assert code == 0
        for field in ("meaning", "formula", "source", "good_value", "missing", "empty", "single_class"):
            assert " ".join(getattr(metric.explanation, field).split()) in words
        assert all(parameter.name in words for parameter in metric.parameters)


def test_an_unknown_metric_is_exit_2_with_the_nearest_name(run):
    """The mistake, and what was meant."""
    code, out, err = run("explain", "k_anonimity")
    assert (code, out) == (2, "")
    assert err == "Error: there is no metric 'k_anonimity'; did you mean 'k_anonymity'?\n"


def test_what_a_search_takes_says_what_it_needs(run):
    """Parameters of a strategy with defaults and limits, formula and source of a score, terms."""
    host = load_host()
    said = {
        name: [f"--strategy {name}", *(w for p in s.parameters for w in (f"  {p.name} = ", p.meaning))]
        for name, s in host.search_strategies.items()
    }
    said |= {name: [score.formula, score.source] for name, score in host.recognition_scores.items()}
    said["evolutionary"].append("  population = 50  (int, at least 2, at most 5000)\n")
    said["false_positive_rate"].append("perfect recognition has 0")
    for name, expected in said.items():
        code, out, _ = run("explain", name)
        assert (name, code, [words for words in expected if words not in out]) == (name, 0, [])
    code, out, _ = run("explain", "ratio")
    terms = [line.split()[1] for line in out.splitlines() if line.startswith("  ")]
    assert (code, terms) == (0, [term.metric for term in host.objective("ratio").every_term])
    assert "\nDivided by\n" in out


@pytest.mark.parametrize("name", ["ncp", "k_anonymity"])
def test_a_loss_says_that_it_is_measured_against_the_original(run, name):
    """Whoever writes a threshold on it is told where it can be met."""
    words = " ".join(run("explain", name)[1].split())
    said = "measured against the original table, in a release or with: audit --original" in words
    assert said == load_host().metric(name).needs_original == (name == "ncp")


def test_a_change_says_that_no_policy_can_ask_for_it(run):
    """It would be refused, so no threshold is shown."""
    out = run("explain", "delta_distinction")[1]
    assert "a policy cannot ask for it: it is the change of distinction" in " ".join(out.split())
    assert "- metric:" not in out


def test_whatever_is_installed_can_be_explained():
    """Each offer of each kind, and each preset, has a title, words, its parameters and where it is from."""
    host = load_host()
    offers = {kind.word: host.registry[kind.name] for kind in KINDS} | {"preset": PRESETS}
    assert {word for word, named in offers.items() if not named} <= {"command"}
    for word, named in offers.items():
        for name, offer in named.items():
            found = qidguard.explain(name, kind=word)
            assert (found.kind, found.name, found.title) == (word, name, offer.title)
            assert found.facts
            assert found.origin == ("qidguard" if word == "preset" else host.owner(found_kind(word), name))
            assert all(heading and text for heading, text in found.sections)
            for parameter in getattr(offer, "parameters", ()):
                assert f"{parameter.name}" in str(found)
            assert json.loads(found.to_json()) == found.to_dict()
            assert found._repr_html_().count("<p>") == 3 + len(found.sections)


def test_a_name_of_several_kinds_is_told_of_each(run):
    """The command tells all; in Python the kind chooses, and one that the name is not of is a mistake."""
    code, out, _ = run("explain", "qir")
    assert code == 0
    assert all(words in out for words in ("A recognizer", "--strategy qir", "qidguard qir"))
    assert qidguard.explain("qir").kind == "recognizer"
    with pytest.raises(qidguard.UserError, match="'qir' is no metric but a recognizer and a search strategy"):
        qidguard.explain("qir", kind="metric")


def found_kind(word: str) -> str:
    """Return the key of a kind."""
    return next(kind.name for kind in KINDS if kind.word == word)


@pytest.mark.parametrize(("name", "sentence"), [
    ("cms-12", "there is no preset 'cms-12'; did you mean 'cms-11'?"),
    ("mdaw", "there is no anonymizer 'mdaw'; did you mean 'mdav'?"),
    ("zzzzzz", "there is no metric 'zzzzzz'; see: qidguard plugins"),
])  # fmt: skip
def test_a_mistyped_name_is_guessed_of_any_kind(name: str, sentence: str):
    """The nearest name of all kinds is said, with its kind."""
    with pytest.raises(qidguard.UserError) as error:
        qidguard.explain(name)
    assert str(error.value) == sentence


def test_markup_in_an_explanation_is_text():
    """What a plugin says is escaped in a notebook."""
    found = qidguard.explain("k_anonymity")
    spoiled = type(found)(**{**vars(found), "title": "<script>", "sections": (("<b>", "<i>\n&"),)})
    assert "<script>" not in spoiled._repr_html_()
    assert "<b>&lt;b&gt;</b><br>&lt;i&gt;<br>&amp;" in spoiled._repr_html_()
