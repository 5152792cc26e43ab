"""Every result of a public function can be had as a table, as plain values, as JSON and as HTML."""

import json

import pandas as pd
import pytest

import qidguard
from qidguard.releasing.example import small
from qidguard_comparison import compare
from qidguard_series import plan_series

TABLE = pd.DataFrame(
    {
        "name": [f"person{i}" for i in range(8)],
        "age": [30, 30, 30, 30, 41, 41, 41, 77],
        "ward": ["north"] * 4 + ["south"] * 3 + ["<b>west</b>"],
        "illness": ["flu", "acne", "cold", "flu", "flu", "acne", "cold", "leprosy"],
    }
)
POLICY = {
    "qidguard": 1,
    "name": "results",
    "roles": {"quasi_identifiers": ["age", "ward"], "sensitive": ["illness"], "direct_identifiers": ["name"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    "release": {"data_set": "people"},
    "remedy": {"anonymizer": "small_class_suppression[k=2]", "parameters": {"most_suppressed": 0.5}},
}
OF_SMALL_CLASSES = ("person7", "77", "west", "leprosy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder for a home and what is published."""
    return str(tmp_path_factory.mktemp("folder"))


@pytest.fixture(scope="module")
def results(folder):
    """Return a result of every public function that has one."""
    with qidguard.audit(TABLE, POLICY) as audited, qidguard.anonymize(TABLE, POLICY, seed=1) as tried:
        made = qidguard.release(TABLE, POLICY, to=f"{folder}/out", home=f"{folder}/home")
        yield {
            "audit": audited,
            "discovery": qidguard.discover(TABLE, POLICY, objective={"distinction": 1}, budget_seconds=20),
            "trial": tried,
            "comparison": compare(TABLE, POLICY, anonymizers="mondrian", seed=1),
            "plan": plan_series(TABLE, POLICY, leave=0.2, releases=2, anonymizer="mondrian"),
            "release": made,
            "verification": qidguard.verify(made.address, is_unsigned_allowed=True),
        }


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    "name", ["audit", "discovery", "trial", "comparison", "plan", "release", "verification"]
)
def test_a_result_has_every_form(results, name):
    """Plain values and JSON say the same; a table has rows; HTML is one element; none holds a rare value."""
    found = results[name]
    plain = found.to_dict()
    assert json.loads(found.to_json()) == json.loads(json.dumps(plain))
    assert plain
    frame = found.to_frame()
    assert len(frame) == {"discovery": len(found.to_dict().get("sets", ())), "verification": 0}.get(
        name, {"audit": 1, "trial": 2, "comparison": 2, "plan": 2, "release": 2}.get(name)
    )
    html = found._repr_html_()
    assert html.startswith("<")
    assert html.count("<div") == html.count("</div>")
    assert "<script" not in html
    seen = json.dumps({k: v for k, v in plain.items() if k != "seed"}) + frame.to_string() + html + str(found)
    for value in OF_SMALL_CLASSES[::2]:
        assert value not in seen
    assert not [value for value in OF_SMALL_CLASSES if f">{value}<" in html]


@pytest.mark.slow
def test_what_was_judged_is_true_or_false(results):
    """The smallest class is 1 before and 3 after the remedy; without a policy nothing is either."""
    audited, made = results["audit"], results["release"]
    assert [bool(one) for one in (audited, audited.report, audited.verdict, made.before)] == [False] * 4
    passed = (results["trial"], made, made.report, results["verification"])
    assert [bool(one) for one in passed] == [True] * 4
    assert [threshold.is_met for threshold in audited.thresholds] == [False]
    with qidguard.audit(TABLE) as described:
        for asked in (lambda: bool(described), lambda: bool(described.report), lambda: described.thresholds):
            with pytest.raises(qidguard.UserError, match="given no policy"):
                asked()


@pytest.mark.slow
def test_the_table_of_an_audit_says_what_was_judged(results):
    """One row a threshold with figure and limit; of a release before and after its remedy."""
    [row] = results["audit"].to_frame().to_dict("records")
    assert (row["metric"], row["value"], row["limit"], row["is_met"]) == ("k_anonymity", 1, 2, False)
    stages = results["release"].to_frame()[["stage", "value"]].to_numpy().tolist()
    assert stages == [["before", 1], ["decided", 3]]


@pytest.mark.slow
def test_names_of_columns_are_text_in_html():
    """A column may be called like markup."""
    table = pd.DataFrame({"<i>age": [30, 30, 41, 41], "sex": ["f", "f", "m", "m"]})
    policy = POLICY | {"roles": {"quasi_identifiers": ["<i>age", "sex"]}}
    with qidguard.audit(table, policy) as audited, qidguard.anonymize(table, policy) as tried:
        for html in (audited._repr_html_(), tried._repr_html_()):
            assert "<i>age" not in html
            assert "&lt;i&gt;age" in html
    compared = compare(table, policy, anonymizers="mondrian")
    assert "<i>" not in compared._repr_html_()
    assert "<i>" not in type(small())(**vars(small()) | {"notes": ("<i>",)})._repr_html_()


@pytest.mark.parametrize(("remedy", "sentence"), [
    ({"anonymizer": "mondrian[k=2]", "parameters": {"k": 3}}, "k stands in brackets after mondrian"),
    ({"anonymizer": "mondrian[k"}, "must be a name, or a name"),
    ({"anonymizer": "mondrian[j=2]"}, "unknown parameter 'j'"),
])  # fmt: skip
def test_a_wrong_remedy_in_brackets_is_the_policys_error(folder, remedy, sentence):
    """It is told as any other mistake in a policy, before anything is read."""
    with pytest.raises(qidguard.PolicyError, match=sentence.replace("[", r"\[")):
        qidguard.release(
            "no such.csv", POLICY | {"remedy": remedy}, to=f"{folder}/out", home=f"{folder}/home"
        )


@pytest.mark.slow
def test_brackets_are_read_alike_everywhere():
    """An anonymizer, an attack and a strategy take their parameters in brackets."""
    with qidguard.anonymize(
        TABLE, POLICY, anonymizer="mondrian[k=2]", attacks=["linkage[known=1, targets=3]"], seed=1
    ) as tried:
        assert tried.receipt is not None
        assert tried.receipt.arguments["k"] == 2
        assert [dict(one.arguments)["known"] for one in tried.receipt.attacks] == [1]
    discovery = {"discovery": {"strategy": "beam[width=2]", "objective": {"distinction": 1}}}
    for found in (
        qidguard.discover(TABLE, POLICY, strategy="beam[width=2]", objective={"distinction": 1}),
        qidguard.discover(TABLE, POLICY | discovery),
    ):
        assert (found.strategy, found.parameters["width"]) == ("beam", 2)
