"""Where nobody names a method, those that suit most tables are tried and the best is taken."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from plugged import Doing, host_with
from qidguard import anonymize
from qidguard.auditing.remedy import first_choices
from qidguard.sdk import Anonymized, NotMeasurable, Parameter, Recoded
from qidguard_comparison import compare
from releases import at_least, once


class First(Doing):
    """A method that calls itself a first choice."""

    is_first_choice = True

    def __init__(self, name, does, parameters=()):
        super().__init__(does, name)
        self.parameters = parameters


def hiding(*columns):
    """Return a method that suppresses some columns."""

    def hide(records, *_):
        one = Recoded(codes=np.zeros(records.records, dtype=np.int32), values=("*",))
        kept = np.ones(records.records, dtype=np.bool_)
        return Anonymized(kept=kept, columns=dict.fromkeys(columns, one))

    return hide


def cannot(*_):
    """Give up."""
    raise NotMeasurable("there is no way")


def fails(*_):
    """Fail as a broken plugin does."""
    raise RuntimeError


REQUIRED = (Parameter(name="k", type=int, meaning="persons"),)


def table():
    """Return eight persons of two ages and two sexes, each pair of these twice: k is 2, by sex alone 4."""
    return pd.DataFrame({"age": [20, 40] * 4, "sex": ["f", "f", "m", "m"] * 2, "illness": list("abcdefgh")})


def rules(**more):
    """Return a policy of k = 4."""
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"]}
    return once(roles=roles, thresholds=at_least(k_anonymity=4)) | more


def host(*methods):
    """Return a host in which only these methods are first choices."""
    found = host_with(methods)
    others = {n: one for n, one in found.anonymizers.items() if not getattr(one, "is_first_choice", 0)}
    named = others | {one.name: one for one in methods}
    return replace(found, registry={**found.registry, "anonymizers": named})


AGE, BOTH, NONE = First("age", hiding("age")), First("both", hiding("age", "sex")), First("none", hiding())


@pytest.mark.parametrize(
    ("methods", "taken", "told"),
    [
        ((BOTH, AGE), "age", "age (50.0% lost), both (100% lost); age loses least of those that pass"),
        ((NONE, BOTH), "both", "none (blocked, 0% lost)"),
        ((First("cannot", cannot), AGE), "age", "cannot (cannot)"),
        ((First("fails", fails), AGE), "age", "fails (failed: "),
        ((First("asks", hiding("age"), REQUIRED), AGE), "age", None),
    ],
)
def test_the_one_that_loses_least_of_those_that_pass_is_taken(methods, taken, told):
    """What cannot, fails or misses the policy is told; one with a parameter to set is no first choice."""
    with anonymize(table(), rules(), host=host(*methods), seed=1) as made:
        assert (made.is_passed, made.receipt.anonymizer) == (True, taken)
        note = made.receipt.notes[0] if made.receipt.notes else ""
        assert (told is None) == (note == "")
        assert (told or "") in note


@pytest.mark.parametrize(
    ("methods", "said"),
    [((First("a", cannot), First("b", cannot)), 2), ((NONE, First("b", cannot)), 1)],
)
def test_where_none_passes_the_reasons_of_all_are_told(methods, said):
    """Nothing was made: each method's reason; something was: why it is blocked."""
    with anonymize(table(), rules(), host=host(*methods), seed=1) as made:
        assert not made
        assert len(made.sentences) == said


def test_a_remedy_or_a_name_leaves_nothing_to_choose():
    """What a person wrote is done, whatever else would lose less."""
    both = host(BOTH, AGE)
    for policy, name in ((rules(remedy={"anonymizer": "both"}), None), (rules(), "both")):
        with anonymize(table(), policy, anonymizer=name, host=both, losses=()) as made:
            assert made.receipt.anonymizer == "both"


def test_a_comparison_of_no_names_is_of_the_same_methods():
    """Each is a row."""
    both = host(BOTH, AGE)
    assert first_choices(both) == ("age", "both")
    found = compare(table(), rules(), host=both)
    assert [row.label for row in found.methods] == ["age", "both"]


@pytest.mark.slow
def test_a_recorded_trial_takes_the_best_too(tmp_path):
    """The ledger holds the verdict on the one that was taken."""
    kept = {"ledger": str(tmp_path / "ledger.db"), "home": str(tmp_path / "home")}
    first_by_name = First("a_both", hiding("age", "sex"))
    with anonymize(table(), rules(), host=host(first_by_name, AGE), is_recorded=True, **kept) as made:
        assert (bool(made), made.receipt.anonymizer, made.audit_id is None) == (True, "age", False)


@pytest.mark.slow
def test_it_makes_a_table_pass_that_nobody_tuned():
    """A thousand records drawn at random reach k = 5 without a word on how."""
    frame = pd.DataFrame(np.random.default_rng(1).integers(0, 6, (1_000, 5)), columns=list("abcde"))
    roles = {"quasi_identifiers": list("abcd"), "insensitive": ["e"]}
    with anonymize(frame, rules(roles=roles, thresholds=at_least(k_anonymity=5))) as made:
        assert made.to_pandas().groupby(list("abcd")).size().min() >= 5
