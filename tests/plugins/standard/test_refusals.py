"""What no anonymizer does is said in one sentence, and what need not be changed is not."""

import pytest

from qidguard.host import load_host
from qidguard.sdk import NotMeasurable, UserError

TWO = {"a": ["10", "11"], "b": ["xa", "xa"], "s": ["p", "p"]}
ONE_PERSON = {"a": ["1", "2"], "w": ["x", "x"]}
ROUND = {"x": [1, 2], "job": ["a", "b"], "salary": [1, 2]}
CODE = {"age": [1, 2, 3, 4], "job": list("abcd"), "salary": [1, 2, 3, 4]}
OF_S = {"k": 2, "l": 2, "sensitive": ("s",)}

NOT_DONE = [
    ("mondrian", TWO, "a", {"k": 3}, "k = 3 needs as many persons, and the table has 2"),
    ("mondrian", TWO, "a", {}, "set k"),
    ("mondrian", TWO, "a", {"k": 2, "l": 2}, "l = 2 needs a sensitive attribute"),
    ("mondrian", TWO, "a", OF_S, "l = 2 needs as many values of 's'"),
    ("mondrian", {"s": ["x", "y"] * 2}, "s", OF_S, "no quasi-identifier"),
    ("zheng_l_diversity", {"a": [1, 2], "s": ["f", "g"]}, "a", {"k": 2, "sensitive": ("s",)},
     "set l, or use k_member"),
    ("blocks", {"a": [*range(30)]}, "a", {"k": 3, "inside": "anneal", "distance": "absolute"},
     "anneal works on squares; set distance to squared or loss"),
    ("local_recoding", TWO, "ab", {}, "set k"),
    ("local_recoding", TWO, "ab", {"k": 3}, "k = 3 needs as many persons, and the table has 2"),
    ("local_recoding", TWO, "ab", OF_S, "l = 2 needs as many values of 's', which has 1"),
    ("local_suppression", ONE_PERSON, "a", {"k": 3}, "k = 3 needs as many persons, and the table has 2"),
    ("local_suppression", ONE_PERSON, "a", {"k": 2, "entity": "w"}, "and the table has 1"),
    ("local_suppression", TWO, "a", {"k": 1, "importance": "b"}, "'importance' names 'b'"),
    ("rounding", ROUND, ("x", "job"), {"base": "job=5"}, "'job' holds no numbers"),
    ("rounding", ROUND, ("x", "job"), {"base": "salary=5"}, "'base' names 'salary'"),
    ("top_bottom_coding", CODE, ("age", "job"), {"top": "job=1"}, "'job' holds no numbers or dates"),
    ("top_bottom_coding", CODE, ("age", "job"), {"top": "salary=1"}, "'top' names 'salary'"),
    ("top_bottom_coding", CODE, ("age",), {"top": "age=3", "bottom": "age=3"}, "overlap"),
    ("top_bottom_coding", CODE, ("age",), {"top": "age=3", "k": 9}, "k = 9 persons lie beyond no limit"),
    ("top_bottom_coding", CODE, ("age",), {"top": "age=3", "k": 0}, "set k"),
    ("pram", TWO, "a", {"columns": "s", "sensitive": ("s",)}, "'columns' names 's'"),
]  # fmt: skip
MISTAKES = [
    ("rounding", {"base": ""}, "names no column"),
    ("rounding", {"base": "x=0"}, "above 0, not '0'"),
    ("rounding", {"base": "x=-5"}, "above 0"),
    ("rounding", {"base": "x=nan"}, "above 0"),
    ("rounding", {"base": "x=ten"}, "above 0"),
    ("rounding", {"base": "x=0.5"}, "must be whole"),
    ("top_bottom_coding", {}, "neither 'top' nor 'bottom'"),
    ("top_bottom_coding", {"top": "x=old"}, "must be a number or a quantile"),
    ("top_bottom_coding", {"top": "x=101%"}, "must lie in 0..100 %"),
]


@pytest.mark.parametrize(
    ("name", "cells", "qids", "options", "error", "sentence"),
    [
        *((name, cells, qids, options, NotMeasurable, said) for name, cells, qids, options, said in NOT_DONE),
        *((name, ROUND, ("x", "job"), options, UserError, said) for name, options, said in MISTAKES),
    ],
)
def test_what_cannot_be_done_is_said(table, anonymized, name, cells, qids, options, error, sentence):
    """One sentence each, with the rule and the remedy; a mistake of the user is told from an answer."""
    usual = {"k": 1} if name == "top_bottom_coding" else {}
    with pytest.raises(error, match=sentence):
        anonymized(load_host().anonymizer(name), table(**cells), qids, **usual | options)


@pytest.mark.parametrize(
    ("name", "values", "options"),
    [
        ("local_recoding", ["10"] * 3, {"k": 3}),
        ("pram", ["a", "b"], {"p": 1.0}),
        ("pram", ["a", "a"], {"p": 0.0}),
        ("rounding", [None, None], {"base": "x=10"}),
        ("top_bottom_coding", [None, None], {"k": 2, "top": "x=9"}),
        ("top_bottom_coding", [1, 2], {"k": 2, "top": "x=90"}),
    ],
)
def test_what_need_not_be_changed_stays(table, anonymized, name, values, options):
    """No column is published differently, and nothing is refused."""
    found = anonymized(load_host().anonymizer(name), table(x=values), ("x",), **options)
    assert (dict(found.done.columns), all(found.kept)) == ({}, True)
