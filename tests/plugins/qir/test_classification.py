"""Algorithm 1, lines 27–40, and Table 2 of the paper on the real data."""

import pandas as pd
import pytest

from qidguard.sdk import Preprocessing, Spelling, UserError
from qidguard_qir.classification import AttributeClass, classify

WARD = pd.DataFrame(
    {
        "number": range(8),
        "age": [30, 31, 32, 33, 34, 35, 36, 36],
        "town": ["Ulm", "ulm", "Bonn", "Bonn", "?", None, "Ulm", "Ulm"],
        "sex": ["f", "m"] * 4,
        "site": ["x"] * 8,
    }
)


@pytest.mark.realdata
def test_table_2_comes_out_exactly(adult):
    """α = .2, β = .01 on all 48,842 rows, ? kept, fnlwgt left out: the paper's three classes."""
    found = classify(adult, [name for name in adult if name != "fnlwgt"], alpha=0.2, beta=0.01)
    assert found.persons == 48_842
    assert found.sensitive == ("capital-gain", "capital-loss")
    assert set(found.non_sensitive) == {"sex", "income"}
    assert found.quasi_identifiers[:3] == ("hours-per-week", "age", "native-country")
    assert set(found.quasi_identifiers[3:]) == {
        *("education", "education-num", "occupation", "workclass", "marital-status", "relationship", "race"),
    }
    assert found.direct_identifiers == ()
    # .2027 rounds to .2, which is not above .2
    shown = {name: round(found[name].risk.risk_percent, 4) for name in adult if name != "fnlwgt"}
    assert shown["capital-gain"] == 0.2518
    assert shown["capital-loss"] == 0.2027
    assert (shown["hours-per-week"], shown["age"], shown["race"]) == (0.1966, 0.1515, 0.0102)
    assert shown["sex"] == shown["income"] == 0.0041


@pytest.mark.realdata
def test_the_sampling_weight_that_the_paper_leaves_out_is_a_question(adult):
    """The column fnlwgt has a risk of 58.4 %, and a person is asked about it."""
    found = classify(adult, ["fnlwgt", "age"], alpha=0.2, beta=0.01)["fnlwgt"]
    assert round(found.risk.risk_percent, 1) == 58.4
    assert found.question.startswith("is it a direct identifier")


@pytest.mark.parametrize(("beta", "qids"), [(0, 7), (0.05, 4)])
def test_table_1_is_that_of_the_tenth_of_the_bank_table(beta, qids):
    """Risks rest on the numbers of values alone: of the 4,521 records of ``bank.csv``, for balance 52.046 %.

    With β = 0, as printed, no column can lie below it; any β from .0443 to .0663 % gives the printed classes.
    """
    values = {"age": 67, "job": 12, "marital": 3, "education": 4, "default": 2}
    values |= {"balance": 2353, "housing": 2, "loan": 2}
    bank = pd.DataFrame({name: [row % several for row in range(4521)] for name, several in values.items()})
    found = classify(bank, alpha=30, beta=beta)
    assert found.sensitive == ("balance",)
    assert int(100 * found["balance"].risk.risk_percent) == 5204
    assert found.quasi_identifiers[:4] == ("age", "job", "education", "marital")
    assert len(found.quasi_identifiers) == qids


def test_every_class_and_why():
    """Risks 100, 87.5, 62.5, 25 and 12.5 %; a column that tells nearly everybody apart is set apart."""
    found = classify(WARD, alpha=70, beta=20)
    assert [one.attribute_class.value for one in found.attributes] == ["ID", "SA", "QID", "QID", "NS"]
    assert found.direct_identifiers == ("number",)
    assert found["age"].why == "its risk of 87.5 % is above α (70 %)"
    assert found["site"].why == "its risk of 12.5 % is below β (20 %)"
    assert [one.margin for one in found.attributes] == [10, 17.5, 7.5, 5, 7.5]
    assert [bool(one.question) for one in found.attributes] == [True, True, True, False, False]
    assert found.columns(AttributeClass.QUASI_IDENTIFIER) == ("town", "sex")


@pytest.mark.slow
def test_thresholds_belong_to_the_quasi_identifiers():
    """A risk equal to α or to β is a QID's; compared unrounded, the least more is SA."""
    assert classify(WARD, ["sex"], alpha=25, beta=25).quasi_identifiers == ("sex",)
    assert classify(WARD, ["sex"], alpha=24.999999999, beta=1).sensitive == ("sex",)
    assert classify(WARD, ["sex"], alpha=30, beta=25.000000001).non_sensitive == ("sex",)


def test_persons_are_classified_where_there_is_an_entity():
    """Four persons with two visits each: towns tell all apart, by records they would not."""
    visits = pd.DataFrame({"who": list("aabbccdd"), "town": list("ppqqrrss"), "sex": list("ffffmmmm")})
    assert classify(visits, alpha=60, beta=20).quasi_identifiers == ("who", "town", "sex")
    found = classify(visits, alpha=60, beta=20, entity="who")
    assert (found.direct_identifiers, found.quasi_identifiers) == (("town",), ("sex",))
    assert found.persons == 4
    assert "4 entities" in str(found)


def test_thresholds_are_proposed_where_none_is_given():
    """Direct identifiers and columns of one value take no part."""
    assert not classify(WARD, alpha=70, beta=20).thresholds.is_proposed
    frame = pd.DataFrame(
        {
            "number": range(100),
            "a": [i % 40 for i in range(100)],
            "b": [i % 10 for i in range(100)],
            "c": [i % 9 for i in range(100)],
            "d": [i % 7 for i in range(100)],
            "one": 1,
        }
    )
    found = classify(frame)
    assert found.thresholds.is_proposed
    assert (found.thresholds.alpha, found.thresholds.beta) == (pytest.approx(20), pytest.approx(63**0.5))
    assert [one.attribute_class.value for one in found.attributes] == ["ID", "SA", "QID", "QID", "NS", "NS"]
    assert "proposed: α in the widest gap" in str(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"alpha": 5}, "beta is missing; give both"),
        ({"beta": 5}, "alpha is missing; give both"),
        ({"alpha": 5, "beta": 6}, "beta must be at most alpha"),
        ({"alpha": float("nan"), "beta": 6}, "alpha must be a risk in percent"),
        ({"columns": []}, "no column to classify"),
        ({"columns": ["city"]}, "no column 'city'"),
    ],
)
def test_mistakes_are_sentences(given, words):
    """Each says the rule and the value."""
    with pytest.raises(UserError, match=words):
        classify(WARD, **given)


def test_preprocessing_is_reported_with_its_effect_and_not_done():
    """Towns: NULL and ? counted as values; one NULL, or one Ulm, would leave four classes."""
    found = classify(WARD, alpha=70, beta=55)
    assert found["town"].risk.classes == 5
    town = next(one for one in found.preprocessing if one.column == "town")
    assert (town.missing, town.undeclared_missing, town.done) == (1, 1, Preprocessing())
    assert [(one.step.value, one.classes, one.risk_percent) for one in town.effects] == [
        ("missing", 4, 50.0),
        ("spelling", 4, 50.0),
    ]
    text = str(found)
    assert "nothing is done that nobody asked for" in text
    assert "values that differ only in writing taken as one: 4 classes, risk 50 %, becomes NS" in text
    age = next(one for one in found.preprocessing if one.column == "age")
    assert [(one.step.value, one.classes) for one in age.effects] == [("rounding", 2)]
    assert "numbers rounded to tens: 2 classes, risk 25 %, becomes NS" in text


def test_what_was_asked_is_done_and_said():
    """Towns with one writing: QID becomes NS, and the risk before stands beside."""
    asked = {"town": Preprocessing(spellings=(Spelling.CASE,))}
    found = classify(WARD, alpha=70, beta=55, preprocessing=asked)
    assert found["town"].attribute_class is AttributeClass.NON_SENSITIVE
    assert "done: case taken as one, risk 62.5 % before, 50 % now" in str(found)
    assert found["age"] == classify(WARD, alpha=70, beta=55)["age"]


def test_what_was_not_looked_at_is_said():
    """Of 60,000 distinct values none is kept, so the effect of rounding is unknown until somebody asks."""
    frame = pd.DataFrame({"key": range(60_000), "sex": ["f", "m"] * 30_000})
    found = classify(frame, alpha=1, beta=0.5)
    assert "key: numbers rounded to tens: not looked at, it has very many values" in str(found)
    asked = classify(frame, alpha=1, beta=0.5, preprocessing={"key": Preprocessing(decimals=-1)})
    assert asked["key"].risk.classes == 6_001


def test_the_frame_has_the_highest_risk_first():
    """Shares beside the class and why."""
    frame = classify(WARD, alpha=70, beta=20, g=2).to_frame()
    assert list(frame["column"]) == ["number", "age", "town", "sex", "site"]
    assert frame.loc[2, ["attribute_class", "risk", "g_distinct", "classes"]].tolist() == [
        "QID",
        0.625,
        0.625,
        5,
    ]


def test_no_value_of_the_table_is_told():
    """Values of single persons stand in no form of the result."""
    secret = pd.DataFrame({"a": ["Zebra77", "x", "x", "Zebra 77"], "b": ["q", "r", "r", "r"]})
    found = classify(secret, alpha=70, beta=20)
    for text in (str(found), found._repr_html_(), found.to_frame().to_csv(), str(found.plot().vega_lite)):
        assert "Zebra" not in text
    assert "&lt;" in classify(secret.rename(columns={"a": "<b>"}), alpha=70, beta=20)._repr_html_()


def test_the_plot_draws_risks_and_both_thresholds():
    """Sorted bars; the axis is logarithmic where risks are far apart, and β = 0 has no place there."""
    plot = classify(WARD, alpha=70, beta=20).plot()
    rows = plot.vega_lite["data"]["values"]
    assert [row["risk"] for row in rows] == [100, 87.5, 62.5, 25, 12.5]
    assert "logarithmic" not in str(plot.vega_lite)
    assert "α at 70 %, β at 20 %: 1 ID, 1 SA, 2 QID, 1 NS" in plot.alternative
    wide = pd.DataFrame({"a": range(200), "b": [1] * 200})
    spec = classify(wide, alpha=70, beta=0).plot().vega_lite
    assert "risk, % (logarithmic)" in str(spec)
    drawn = [layer["data"]["values"] for layer in spec["layer"] if "data" in layer]
    assert drawn == [[{"limit": 70, "name": "α"}]] * 2
