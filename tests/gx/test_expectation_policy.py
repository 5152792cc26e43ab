"""A whole policy as one expectation: the verdict is the one that an audit gives."""

import copy
import json

import numpy as np
import pandas as pd
import pytest

import qidguard
from audited import TABLE, policy, roles, threshold
from gx_batches import pandas_table, without_names
from qidguard.policy.origin import value_digest
from qidguard.rendering.document import document
from qidguard.rendering.sentence import reasons
from qidguard_expectations import ExpectTableToMeetPrivacyPolicy
from qidguard_expectations.data_docs import observed

pytestmark = pytest.mark.gx


def expectation(given):
    """Return the expectation that a policy makes."""
    return ExpectTableToMeetPrivacyPolicy(policy=given, policy_sha256=value_digest(given))


POLICIES = {
    "passes": policy(),
    "misses a threshold": policy(**threshold("k_anonymity", at_least=4)),
    "leaves a column open": policy(**roles(insensitive=[])),
    "was to be reviewed": policy(review_by="2001-01-01"),
    "knows some": policy(attacker={"knows_any": 1}),
    "only warns besides": policy(
        thresholds=[
            {"metric": "k_anonymity", "at_least": 3},
            {"metric": "k_anonymity", "at_least": 9, "on_miss": "warn"},
        ]
    ),
    "asks for a population": policy(**threshold("k_map", at_least=2)),
    "asks for a history": policy(**threshold("intersection_k_anonymity", at_least=2)),
    "asks for an original": policy(**threshold("ncp", at_most=0.9)),
    "warns of a loss": policy(
        thresholds=[
            {"metric": "k_anonymity", "at_least": 3},
            {"metric": "ncp", "at_most": 0.9, "on_miss": "warn"},
        ]
    ),
    "names hierarchies": policy(
        hierarchies={"age": {"file": "levels/age.csv"}, "sex": {"taxonomy": "sex.yaml"}},
    ),
    "finds the QIDs": policy(
        roles={"quasi_identifiers": "auto"},
        unnamed_columns="insensitive",
        thresholds=[{"metric": "k_anonymity", "at_least": 3}],
    ),
    "counts an entity": policy(**roles(entity="visit", insensitive=[])),
    "has two combinations": policy(
        combinations=[
            {
                "name": "by age",
                "quasi_identifiers": ["age"],
                "thresholds": [{"metric": "share_unique", "at_most": 0.1}],
            }
        ]
    ),
    "drops a column": policy(release={"drop": ["visit"]}, **roles(insensitive=[])),
}


@pytest.mark.parametrize("given", POLICIES.values(), ids=POLICIES)
def test_verdict_is_the_one_of_an_audit(context, given):
    """The document inside the result is the audit's to the last figure, but for its time and its source."""
    (result,) = pandas_table(context, TABLE).validate(expectation(given))
    with qidguard.audit(TABLE, policy=given) as audit:
        expected = document(audit.report)
        sentences = reasons(audit.report)
    details = without_names(result.result["details"])
    assert result.success is audit.is_passed
    assert details["document"] == {k: v for k, v in expected.items() if k not in {"seconds", "source"}}
    assert details["sentences"] == sentences
    assert details["exit_code"] == int(audit.exit_code)
    assert result.result["observed_value"] == len(sentences)
    assert details["reason"] == (" ".join(sentences) or None)


def test_a_batch_that_came_generalized_is_read_once_more(context):
    """An age in a text is finer than the band beside it: found in some records, measured over all."""
    ages = np.random.default_rng(1).integers(18, 90, 3000)
    table = pd.DataFrame(
        {
            "age": [f"{age // 10}0-{age // 10}9" for age in ages],
            "note": [f"case {n}: {age} years" for n, age in enumerate(ages)],
        }
    )
    given = policy(
        roles={"quasi_identifiers": ["age"], "insensitive": ["note"]},
        thresholds=[{"metric": "k_anonymity", "at_least": 50}],
        accepted=[{"columns": ["note"], "reason": "it was reviewed"}],
    )
    (result,) = pandas_table(context, table).validate(expectation(given))
    with qidguard.audit(table, policy=given) as audit:
        [sentence] = reasons(audit.report)
    assert without_names(result.result["details"])["sentences"] == [sentence]
    assert "determines age and is finer. With note read back, k is" in sentence


def test_the_policies_above_differ():
    """The policies of the test above pass and fail, so that it could tell the two apart."""
    passed = {name: qidguard.audit(TABLE, policy=given).is_passed for name, given in POLICIES.items()}
    assert {name for name, is_passed in passed.items() if is_passed} == {
        *("passes", "knows some", "only warns besides", "has two combinations", "drops a column"),
        *("finds the QIDs", "counts an entity", "names hierarchies", "warns of a loss"),
    }


def test_source_is_the_asset(context):
    """The document calls the batch by its data source and its asset."""
    table = pandas_table(context, TABLE)
    (result,) = table.validate(expectation(policy()))
    source = table.definition.data_asset.datasource.name
    assert result.result["details"]["document"]["source"] == f"{source}/table"


@pytest.mark.parametrize("digest", [value_digest(policy()), qidguard.load_policy(policy()).digest])
def test_both_digests_of_a_policy_fit(context, digest):
    """The digest is that of what stands in the suite, or the one that an audit reports."""
    made = ExpectTableToMeetPrivacyPolicy(policy=policy(), policy_sha256=digest)
    (result,) = pandas_table(context, TABLE).validate(made)
    assert result.success is True


@pytest.mark.parametrize(
    ("given", "digest"),
    [
        (policy(**threshold("k_anonymity", at_least=2)), value_digest(policy())),
        (policy(), value_digest(policy(name="another"))),
        (policy(), ""),
        (policy(), "0" * 64),
    ],
)
def test_changed_policy_fails(context, given, digest):
    """A policy that is not the one of the digest lets nothing pass, and says what to do."""
    made = ExpectTableToMeetPrivacyPolicy(policy=given, policy_sha256=digest)
    (result,) = pandas_table(context, TABLE).validate(made)
    assert (result.success, result.result["observed_value"]) == (False, None)
    assert result.result["details"]["reason"].endswith("export it again")
    assert result.result["details"]["exit_code"] == 2


def test_policy_changed_in_the_suite_after_it_was_made_fails(context):
    """A policy that is loosened inside of the expectation no longer fits its digest."""
    made = expectation(copy.deepcopy(policy(**threshold("k_anonymity", at_least=4))))
    made.policy["thresholds"][0]["at_least"] = 2
    (result,) = pandas_table(context, TABLE).validate(made)
    assert result.success is False
    assert "export it again" in result.result["details"]["reason"]


def test_policy_survives_a_store(context):
    """What a suite stores of a policy still has its digest."""
    stored = json.loads(json.dumps(expectation(policy()).configuration.to_json_dict()))
    made = ExpectTableToMeetPrivacyPolicy(**stored["kwargs"])
    (result,) = pandas_table(context, TABLE).validate(made)
    assert result.success is True


def test_policy_that_does_not_fit_fails(context):
    """A column that the batch lacks is said with the policy's own words."""
    (result,) = pandas_table(context, TABLE.drop(columns="age")).validate(expectation(policy()))
    assert result.success is False
    assert result.result["details"]["reason"].startswith("policy: the table has no column 'age'")


def test_empty_batch_fails(context):
    """A batch without a record is refused by the engine, not passed."""
    empty = pd.DataFrame({name: TABLE[name][:0] for name in TABLE})
    (result,) = pandas_table(context, empty).validate(expectation(policy()))
    assert result.success is False
    assert "no records" in result.result["details"]["reason"]


def test_a_blocked_batch_is_told_what_would_make_it_pass(context):
    """Lines in the result and in Data Docs; a batch that passes has none, and the verdict is an audit's."""
    (blocked,) = pandas_table(context, TABLE).validate(expectation(POLICIES["misses a threshold"]))
    lines = blocked.result["details"]["advice"]
    assert lines[0] == "What would make it pass"
    assert lines[1].endswith("are below k = 4.")
    (passed,) = pandas_table(context, TABLE).validate(expectation(POLICIES["passes"]))
    assert passed.result["details"]["advice"] == []
    sentence = observed(blocked.result, is_met=False)
    assert "What would make it pass" in sentence.parts.values()
