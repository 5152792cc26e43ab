"""What was done is said as it was done: limits taken, columns that tell nothing, hierarchies not used."""

import numpy as np
import pandas as pd
import pytest

import qidguard
from plugged import Doing, host_with
from qidguard.rendering.receipt import receipt_lines
from qidguard.sdk import Anonymized, Recoded
from qidguard.trials.receipt_document import receipt_document

TABLE = pd.DataFrame(
    {
        "age": [20, 21, 40, 41] * 2,
        "sex": ["f", "m"] * 4,
        "ill": ["flu", "gout", "flu", "gout", "gout", "flu", "acne", "flu"],
    }
)


def policy(*more, **fields):
    """Return a policy of k = 2 and more thresholds."""
    return {
        "qidguard": 1, "name": "said", "roles": {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}, *more], **fields,
    }  # fmt: skip


def receipt(anonymizer, rules=None, host=None, table=TABLE):
    """Return what a method did."""
    with qidguard.anonymize(table, rules or policy(), anonymizer=anonymizer, host=host, seed=1) as made:
        return made.receipt


def hiding(column, shown):
    """Return a host with a method that shows texts, record by record, in one column."""

    def hide(records, *_):
        texts = sorted(set(shown))
        codes = np.array([texts.index(text) for text in shown], dtype=np.int32)
        recoded = Recoded(codes=codes, values=tuple(texts))
        return Anonymized(kept=np.ones(records.records, dtype=np.bool_), columns={column: recoded})

    return host_with([Doing(hide, "hide")])


L2 = {"metric": "distinct_l_diversity", "at_least": 2}
T5 = {"metric": "t_closeness", "at_most": 0.5}


@pytest.mark.parametrize(
    ("anonymizer", "more", "taken", "words"),
    [
        ("mondrian", (), {"k": "2", "l": "", "t": ""}, "(k=2 by the policy, is_strict=True, "),
        ("mondrian", (L2,), {"k": "2", "l": "2 of ill", "t": ""}, "(k=2 by the policy, l=2 of ill by the "),
        ("mondrian[k=3]", (T5,), {"l": "", "t": "0.5 of ill"}, "(k=3, t=0.5 of ill by the policy, is_"),
        ("k_member[k=3, l=2]", (), {}, "(k=3, l=2, diversity=0.0, "),
        ("mo_obam", (), {"k": "2", "l": "", "t": ""}, "k=2 by the policy, "),
        ("full_domain", (L2,), {"k": "2", "l": "2 of ill", "t": ""}, "(k=2 by the policy, l=2 of ill by"),
        ("local_suppression", (), {"k": "2"}, "(k=2 by the policy, "),
    ],
)  # fmt: skip
def test_the_limits_of_the_policy_are_told_where_they_were_taken(anonymizer, more, taken, words):
    """Never k=0: a parameter that asks for nothing is left out, and one that a person set is as set."""
    done = receipt(anonymizer, policy(*more))
    assert dict(done.limits_taken) == taken
    line = next(iter(receipt_lines(receipt_document(done))))
    assert words in line
    assert not {"k=0", "l=0", "l=0.0", "t=0.0"} & set(line.replace("(", " ").replace(",", " ").split())


def test_the_strictest_of_several_limits_is_told():
    """A second combination asks for more."""
    four = [{"metric": "k_anonymity", "at_least": 4}]
    more = {"name": "few", "quasi_identifiers": ["sex"], "thresholds": four}
    assert receipt("mondrian", policy(combinations=[more])).limits_taken["k"] == "4"


@pytest.mark.parametrize(
    ("shown", "warning"),
    [
        (["[20, 41]"] * 8, "'age' has the same value in every record, so it tells nothing any more"),
        (["*"] * 8, "'age' has the same value in every record, so it tells nothing any more"),
        (["*"] * 5 + ["20", "21", "40"], "'age' is suppressed in 5 of 8 records (62.5%)"),
        (["*"] * 4 + ["20", "21", "40", "41"], None),
        (["[20, 29]", "[40, 49]"] * 4, None),
    ],
)
def test_a_column_that_tells_nothing_any_more_is_warned_of(shown, warning):
    """One value in all records, or the suppression mark in more than half of them."""
    done = receipt("hide", host=hiding("age", shown))
    assert done.warnings == (() if warning is None else (warning,))
    told = [line for line in receipt_lines(receipt_document(done)) if line.startswith("warning: ")]
    assert told == [f"warning: {one}" for one in done.warnings]


def test_a_column_of_one_value_is_not_warned_of_before():
    """It told nothing from the first."""
    assert receipt("hide", host=hiding("sex", ["m"] * 8), table=TABLE.assign(sex="f")).warnings == ()


BANDS = {"age": {"intervals": [10, 20]}}
IN_BANDS, OWN = ["[20, 29]"] * 2 + ["[40, 49]"] * 2, ["[20, 21]"] * 2 + ["[40, 41]"] * 2


@pytest.mark.parametrize(
    ("anonymizer", "hierarchies", "shown", "note"),
    [
        ("hide", BANDS, IN_BANDS, None),
        ("hide", BANDS, OWN, "hierarchy of age: not used by hide in what it publishes"),
        ("hide", BANDS, ["20", "21", "40", "41"], None),
        ("mdav[k=8]", {**BANDS, "sex": {"auto": "frequency"}}, None,
         "hierarchies of age and sex: not used by mdav in what it publishes"),
    ],
)  # fmt: skip
def test_hierarchies_that_were_not_used_are_told_in_one_note(anonymizer, hierarchies, shown, note):
    """The policy has bands of ten; the method made its own; where nothing was changed none was needed."""
    host = hiding("age", shown * 2) if shown else None
    notes = receipt(anonymizer, policy(hierarchies=hierarchies), host=host).notes
    assert [one for one in notes if "not used" in one] == ([] if note is None else [note])
