"""The remedy of fixed levels, tried on tables: dropped columns, hostile names, new values, the receipt."""

import pandas as pd
import pytest

import qidguard
from generated import SECRET_NUMBER
from qidguard import PolicyError, UserError
from qidguard_comparison import compare
from releases import at_least, once

TABLE = pd.DataFrame(
    {
        "age": [21, 22, 23, 41, 42, 43],
        "ward": ["a", "b", "c", "a", "b", "c"],
        "illness": ["flu", "cold", "flu", "cold", "flu", "cold"],
    }
)


def rules(**fields):
    """Return a policy: 3-anonymous over age and ward, ages in tens and twenties."""
    own = {
        "roles": {"quasi_identifiers": ["age", "ward"], "sensitive": ["illness"]},
        "thresholds": at_least(k_anonymity=3),
        "hierarchies": {"age": {"intervals": [10, 20]}},
        "remedy": {"recode": {"age": 1, "ward": "drop"}},
    }
    return once(**own | fields)


@pytest.mark.slow
def test_the_policys_levels_pass_and_a_dropped_column_is_not_written(tmp_path):
    """Without the ward two classes of three are left; it counts as lost, and is in no file."""
    with qidguard.anonymize(TABLE, rules()) as tried:
        assert (tried.is_passed, tried.after.summaries[0].smallest) == (True, 3)
        assert [claim.is_kept for claim in tried.claims] == [True]
        told = tried.to_dict()["receipt"]
        assert (told["anonymizer"], told["plugin"][:9]) == ("recode", "qidguard ")
        assert told["arguments"] == {"levels": {"age": 1, "ward": "drop"}, "suppress": 0.0}
        assert told["columns_dropped"] == ["ward"]
        assert "not published: ward" in repr(tried)
        tried.write(str(tmp_path / "safe.csv"))
        tried.write(str(tmp_path / "safe.parquet"))
    assert list(pd.read_csv(tmp_path / "safe.csv").columns) == ["age", "illness"]
    assert sorted(set(pd.read_parquet(tmp_path / "safe.parquet")["age"])) == ["[20, 29]", "[40, 49]"]


def test_what_is_asked_for_stands_over_the_policys_remedy():
    """All ages together keep the ward, whose classes are of two; the policy's own levels play no part."""
    with qidguard.anonymize(TABLE, rules(), recode={"age": 3}) as tried:
        assert (tried.is_passed, tried.after, tried.exit_code) == (False, None, 1)
        [sentence] = tried.sentences
    assert sentence == (
        "The remedy recode cannot make the policy hold: 6 of 6 records (100 %) stand in classes that"
        " miss a limit, above suppress = 0 %; take coarser levels, drop a column, or raise suppress"
    )


NAMES = {"age": 'a"; DROP TABLE x --', "ward": "w, [x]={y}"}
AGE, WARD = NAMES.values()
HOSTILE = rules(
    roles={"quasi_identifiers": [AGE, WARD], "sensitive": ["illness"]},
    hierarchies={AGE: {"intervals": [10]}},
    remedy={"recode": {AGE: 1, WARD: "drop"}},
)
MORE = [f"c{at}" for at in range(300)]
WIDE = pd.concat([TABLE, pd.DataFrame(dict.fromkeys(MORE, "x"), index=TABLE.index)], axis=1)
IN_WIDE = rules(roles=rules()["roles"] | {"insensitive": MORE})
DROPPED = {"recode": {"age": "drop", "ward": "drop"}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "policy", "asked", "smallest", "dropped"),
    [
        (TABLE, rules(), DROPPED, 6, ("age", "ward")),
        (TABLE.rename(columns=NAMES), HOSTILE, {}, 3, (WARD,)),
        (WIDE, IN_WIDE, {}, 3, ("ward",)),
    ],
    ids=["all quasi-identifiers dropped", "hostile names", "three hundred further columns"],
)
def test_levels_and_drops_reach_every_column(table, policy, asked, smallest, dropped):
    """Quotes, commas, brackets and SQL in names of columns; many columns; or none that is left to judge."""
    with qidguard.anonymize(table, policy, **asked) as tried:
        assert (tried.is_passed, tried.after.summaries[0].smallest) == (True, smallest)
        assert tried.receipt.columns_dropped == dropped


@pytest.mark.slow
def test_a_column_that_tells_what_was_dropped_blocks():
    """A code that stands one to one for the ward is published beside it."""
    table = pd.concat([TABLE] * 20, ignore_index=True)
    table["code"] = table["ward"].map({"a": "11", "b": "12", "c": "13"})
    roles = rules()["roles"] | {"insensitive": ["code"]}
    thresholds = [{"metric": "k_anonymity", "at_least": 50}]
    with qidguard.anonymize(table, rules(roles=roles, thresholds=thresholds)) as tried:
        assert not tried.is_passed
        assert tried.sentences[-1].startswith("code is known to whoever knows the original ward.")


@pytest.mark.slow
def test_a_new_value_that_the_hierarchy_lacks_names_the_column_only(tmp_path):
    """The file knows 21 to 43; next month somebody has another."""
    (tmp_path / "ages.csv").write_text("".join(f"{age};any\n" for age in range(21, 44)), encoding="utf-8")
    policy = rules(hierarchies={"age": {"file": str(tmp_path / "ages.csv")}})
    with qidguard.anonymize(TABLE, policy) as tried:
        assert tried.is_passed
    later = pd.concat([TABLE, pd.DataFrame({"age": [SECRET_NUMBER], "ward": ["a"], "illness": ["flu"]})])
    with pytest.raises(PolicyError) as fault:
        qidguard.anonymize(later, policy)
    assert "lacks 1 of the 7 values of column 'age'; add a row for each" in str(fault.value)
    assert str(SECRET_NUMBER) not in str(fault.value).replace(",", "")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"recode": {"age": "top"}}, "recode of 'age' must be a level, a whole number from 0 on, or drop,"),
        ({"recode": {"age": 1}, "suppress": 2}, "suppress must be at least 0 and below 1, not 2"),
        ({"suppress": 0.1}, "suppress goes with recode; name levels, or leave it out."),
        ({"recode": {"age": 1}, "anonymizer": "mondrian"}, "An anonymizer and recode are both given; keep"),
        ({"recode": {"wards": "drop"}}, "recode is for QIDs, and column 'wards' has no role; did you mean"),
        ({"recode": {"ward": 1}}, "recode puts column 'ward' on level 1, and the policy declares no"),
        ({"recode": {"age": 9}}, "recode puts column 'age' on level 9, and its hierarchy has the levels 0"),
        ({"recode": {"illness": "drop"}}, "recode is for QIDs, and column 'illness' is sensitive; remove"),
        ({"anonymizer": "recode[k=5]"}, "recode: unknown parameter 'k'; it takes: levels, suppress"),
        ({"parameters": {"k": 5}}, "The policy's remedy is fixed levels, which take no parameters; leave"),
    ],
)
def test_a_mistake_is_one_sentence(asked, expected):
    """Levels, shares, columns and what excludes each other."""
    with pytest.raises(UserError) as fault:
        qidguard.anonymize(TABLE, rules(), **asked)
    assert str(fault.value).startswith(expected)


@pytest.mark.slow
def test_fixed_levels_stand_in_a_comparison():
    """By the name recode, with levels in brackets, beside anonymizers."""
    recode = "recode[levels={age: 1, ward: drop}]"
    found = compare(TABLE, rules(), anonymizers=f"mondrian,{recode}", seed=0)
    assert {row.label: row.is_passed for row in found.methods} == {"mondrian": True, recode: True}
