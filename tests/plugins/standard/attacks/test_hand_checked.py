"""Attacks on small tables whose outcome can be counted by hand."""

import pytest

from qidguard.sdk import NotMeasurable

READ = {
    "control": lambda one: None if one.control is None else one.control.successes,
    "control_trials": lambda one: one.control.trials,
    "excess": lambda one: one.excess,
    "people": lambda one: one.people,
    "successes": lambda one: one.published.successes,
    "trials": lambda one: one.published.trials,
}
"""What of an outcome is told; a share is successes over trials."""


def row(attack, why, before, after=None, *, says="", **words):
    """Return a row: what is expected is what may be told of an outcome, all else are options."""
    expected = {word: value for word, value in words.items() if word in READ}
    options = {word: value for word, value in words.items() if word not in READ}
    return pytest.param(attack, before, after, options, expected, says, id=f"{attack}: {why}")


SIX = {"a": [1, 2, 3, 4, 5, 6], "b": list("uvuvuv")}
STARS = {"a": ["*"] * 6, "b": ["*"] * 6}
TWO_AND_FOUR = {"a": ["[1, 2]"] * 2 + ["[3, 6]"] * 4, "b": ["*"] * 6}
FIRST_FOUR, KEPT_FOUR = {name: values[:4] for name, values in SIX.items()}, [True] * 4 + [False] * 2
AGELESS = {"a": [None, None, 3, 4], "b": ["u"] * 4}
SAME = {"b": ["u"] * 6}
IN_THREES = {"a": [10, 20, 30, 60, 70, 80], **SAME}, {"a": [20, 20, 20, 70, 70, 70], **SAME}
IN_NOBODYS = {"a": [10, 20, 36, 60, 70, 83], **SAME}, {"a": [22, 22, 22, 71, 71, 71], **SAME}
VISITS = {"b": list("uuvv"), "w": list("ppqr")}
STRANGERS = {"a": [1, 2, 9, 9], "b": list("uvuu")}
DECADES = {"a": [10, 20, 25]}
LINKAGE = [
    row("linkage", "all are unique", SIX, successes=6, trials=6, people=6, excess=1, control=None),
    row("linkage", "everything is suppressed", SIX, STARS, successes=1, trials=6, people=1),
    # classes of 2 and 4: the mean is 2 classes of 6 persons
    row("linkage", "two classes", SIX, TWO_AND_FOUR, successes=2, trials=6),
    row("linkage", "nobody is named in four", SIX, TWO_AND_FOUR, most_agreeing=2, successes=1),
    row("linkage", "by b alone one of three", SIX, qids="b", successes=2, trials=6),
    row("linkage", "more known than there is", SIX, known=5, successes=6, trials=6),
    row("linkage", "two are not published", SIX, FIRST_FOUR, kept=KEPT_FOUR, successes=4, trials=6),
    row("linkage", "a is not published", SIX, {"b": SIX["b"]}, successes=2, trials=6),
    row("linkage", "no QID is published", SIX, {"s": ["x"] * 6}, successes=1, trials=6),
    row("linkage", "two without an age are one class", AGELESS, successes=3, trials=4),
    row("linkage", "NULL beside a pair", AGELESS, {"a": [None, None, "[3, 4]", "[3, 4]"], "b": ["u"] * 4},
        successes=2, trials=4),
    # person p has both records of class u, so who is known to be there is p; of v it is q or r
    row("linkage", "persons", VISITS, qids="b", entity="w", successes=1 + 1 / 2 + 1 / 2, trials=3, people=2),
    # whoever is named for them is another
    row("linkage", "withheld people", SIX, withheld=STRANGERS, control=0, control_trials=4,
        says="wrongly, for 50.0% of the withheld"),
    # means of three are nearest to their own three, and name one of them
    row("linkage", "centroids", *IN_THREES, successes=2, trials=6),
    row("linkage", "centroids that no person has", *IN_NOBODYS, successes=2, trials=6),
    # 15 lies in [10, 20], 30 is beyond what the original has, and all agree with a suppressed cell
    row("linkage", "15, 22 and 30", DECADES, {"a": ["[10, 20]", "[10, 20]", "25"]}, qids="a",
        withheld={"a": [15, 30, 22]}, says="wrongly, for 33.3% of the withheld"),
    row("linkage", "5 and 30 are in no set", DECADES, {"a": ["{10, 25}", "20", "{10, 25}"]}, qids="a",
        withheld={"a": [5, 30]}, says="wrongly, for 0.0% of the withheld"),
    row("linkage", "suppressed cells", DECADES, {"a": ["*"] * 3}, qids="a", withheld={"a": [15, 30, 22]},
        says="wrongly, for 100.0% of the withheld"),
    # a place that the original lacks agrees with no set of others, but with their union
    row("linkage", "a new place", {"a": list("pqr")}, {"a": ["{p, q}", "{p, q}", "r"]}, qids="a",
        withheld={"a": ["new"]}, says="wrongly, for 0.0% of the withheld"),
    row("linkage", "a new place and all", {"a": list("pqr")}, {"a": ["{p, q, r}"] * 3}, qids="a",
        withheld={"a": ["new"]}, says="wrongly, for 100.0% of the withheld"),
    row("linkage", "NULL in both groups", {"a": [None, 2]}, qids="a", withheld={"a": [None, None, 3]},
        says="wrongly, for 66.7% of the withheld"),
]  # fmt: skip

SEVEN = {"a": list("xxxyyyy"), "s": list("ppppqqr")}
"""Class x has p only; class y has p, q, q and r."""
OTHERS = {"a": list("xxz"), "s": list("pqp")}
KNOWN_Y = {"a": ["y"], "s": ["p"]}
NO_DIAGNOSIS = {"a": ["x", "x", None, None], "s": [None, None, None, "p"]}
CHANGED = {"a": list("xy"), "s": [None, "p"]}, {"a": list("xy"), "s": ["new", "p"]}
TWO_ATTRIBUTES = {"a": list("xxyy"), "s": list("pppq"), "t": list("uvww")}
SENSITIVE = [
    row("homogeneity", "the three of x", SEVEN, successes=3, people=3,
        says="one value was left for 3, and it was wrong for 0"),
    # of the three values of y two have to be known away; with one nothing more is told
    *(
        row("background_knowledge", f"{excluded} struck out", SEVEN, excluded=excluded, successes=successes)
        for excluded, successes in [(0, 3), (1, 3), (2, 7), (9, 7)]
    ),
    # class x: three right; class y: q for four, two of them right; the table's own guess: p, 4 of 7
    row("attribute_inference", "the most frequent", SEVEN, successes=5,
        says="the most frequent value of the table alone is right for 57.1%"),
    row("attribute_inference", "equally frequent", {"a": list("xx"), "s": list("pq")}, successes=1, trials=2),
    # one of x has p, as the class says; one has q, and the claim is wrong; nobody has a z
    row("homogeneity", "withheld people", SEVEN, withheld=OTHERS, control=1, control_trials=3,
        excess=(3 / 7 - 1 / 3) / (1 - 1 / 3)),
    # for z the attacker takes the table's most frequent value, which is right
    row("attribute_inference", "withheld people", SEVEN, withheld=OTHERS, control=2),
    # once one of q and r is struck out of y, p is left with the other; once both, p alone
    row("background_knowledge", "withheld, one out", SEVEN, withheld=KNOWN_Y, excluded=1, control=0),
    row("background_knowledge", "withheld, two out", SEVEN, withheld=KNOWN_Y, excluded=2, control=1),
    # a suppressed person's class still claims: right for the one with p, wrong for the one with r
    row("homogeneity", "suppressed persons", {"a": list("xxxx"), "s": list("pprp")},
        {"a": list("xx"), "s": list("pp")}, kept=[True, True, False, False], successes=3,
        says="one value was left for 4, and it was wrong for 1"),
    # a class without a diagnosis tells that there is none; a class of NULL and p is not homogeneous
    row("homogeneity", "NULL is a value", NO_DIAGNOSIS, successes=2),
    # wrong for who has none, and for who has another new one among the withheld
    row("homogeneity", "a value that nobody had", *CHANGED, withheld={"a": ["x"], "s": ["other"]},
        successes=1, control=0),
    # person 1 has p in two records, 2 and 3 have q: the guess is q
    row("attribute_inference", "persons", {"a": list("xxxx"), "s": list("ppqq"), "w": list("1123")},
        entity="w", successes=2, trials=3),
    row("homogeneity", "by s", TWO_ATTRIBUTES, sensitive="s", successes=2),
    row("homogeneity", "by t", TWO_ATTRIBUTES, sensitive="t", successes=2),
]  # fmt: skip

APART = {"a": [1, 2, 3, 4, 5, 9], "b": list("uvuvuv")}
UNIVARIATE = {"conditions": "univariate"}
THREE = {"a": list("xxy"), "s": list("pqp")}
HOLDING = {"a": ["[1, 2]"] * 2 + ["[3, 9]"] * 4, "b": ["*"] * 6}
SINGLING_OUT = [
    row("singling_out", "all are unique", APART, successes=6, trials=6, people=6),
    row("singling_out", "classes of two and four", APART, HOLDING, successes=0),
    row("singling_out", "everything is suppressed", APART, STARS, people=0),
    row("singling_out", "two of one class", THREE, qids="a", successes=1),
    row("singling_out", "they differ in s", THREE, qids="a", with_sensitive=True, successes=3),
    # of a: six values of one person each, and both ends; of b none is made
    row("singling_out", "values and ends", APART, **UNIVARIATE, successes=8, trials=8, people=6),
    # [1, 2] and [3, 5] stand for several; 9 stands alone, as a value and as the highest; at most 2 are two
    row("singling_out", "9 alone", APART, {"a": ["[1, 2]"] * 2 + ["[3, 5]"] * 3 + ["9"], "b": ["*"] * 6},
        **UNIVARIATE, successes=2, trials=3, people=1),
    row("singling_out", "who alone lacks a value", {"b": ["u", "u", None]}, qids="b", **UNIVARIATE,
        successes=1, trials=1),
    # of centroids 2, 2, 9 and 9 the last is 'at least 9', which two persons are; 'at most 2' are two
    row("singling_out", "sides of two", {"a": [1, 2, 9, 10]}, {"a": [2, 2, 9, 9]}, qids="a", successes=0),
    # at least 9 and at least 10: the one of 12; at most 2: the one of 1
    row("singling_out", "sides of one", {"a": [1, 4, 7, 12]}, {"a": [2, 2, 9, 10]}, qids="a", successes=4),
    # both records of class x are of one person; of y there are two
    row("singling_out", "persons", {"a": list("xxyy"), "w": list("ppqr")}, qids="a", entity="w",
        successes=1, trials=3),
    # one of three withheld persons has x, two have y and none has z
    row("singling_out", "withheld people", {"a": list("xyz")}, qids="a", withheld={"a": list("xyy")},
        control=1, control_trials=3, excess=1),
    # a new place is neither x nor y; a suppressed cell covers it like any other
    row("singling_out", "a new place", {"a": list("xy")}, qids="a", withheld={"a": ["new", "x"]}, control=1),
    row("singling_out", "a new place and all", {"a": list("xy")}, {"a": ["*", "y"]}, qids="a",
        withheld={"a": ["new", "x"]}, control=0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("attack", "before", "after", "options", "expected", "says"), [*LINKAGE, *SENSITIVE, *SINGLING_OUT]
)
def test_small_table(found, attack, before, after, options, expected, says):
    """The outcome is the one that is counted by hand; people are those of the table, as a share of all."""
    usual = {"qids": "a"} if "s" in before else {}
    result = found(attack, before, after, **usual | options)
    assert {name: READ[name](result) for name in expected} == pytest.approx(expected)
    assert says in result.sentence


OF_ATTRIBUTES = ["homogeneity", "background_knowledge", "attribute_inference"]


@pytest.mark.parametrize(
    ("attack", "tables", "options", "reason"),
    [
        ("linkage", [SIX], {"kept": None}, "Whether a link is right is known only where"),
        ("linkage", [SIX], {"qids": ""}, "the policy names none"),
        ("linkage", [{"a": list("uvwxyz")}, {"a": ["some place"] * 6}], {"qids": "a"}, "'a' cannot be read"),
        ("singling_out", [{"a": [1], "s": ["p"]}, {"s": ["p"]}], {"qids": "a"}, "none is published"),
        *((one, [{"a": list("xy")}], {"qids": "a"}, "the policy names none") for one in OF_ATTRIBUTES),
        *((one, [SEVEN], {"qids": "a", "sensitive": "t"}, "'t' does not stand") for one in OF_ATTRIBUTES),
    ],
)
def test_no_answer(found, attack, tables, options, reason):
    """Without the alignment, QIDs, a column or an attribute the answer is a sentence."""
    with pytest.raises(NotMeasurable, match=reason):
        found(attack, *tables, **options)
