"""Policies with thresholds on these metrics: what passes, what blocks, and what is an error of the policy."""

import pytest

from qidguard import ExitCode, PolicyError, audit

HEAD = """\
qidguard: 1
name: ward
roles:
  quasi_identifiers: [Age, Gender]
  sensitive: [Diagnosis]
{roles}thresholds:
"""


@pytest.fixture
def judged(tmp_path, medical):
    """Return a function that audits the medical table under thresholds beside one on risk, which holds."""

    def judge(*thresholds, target="Outcome", treatment="Treatment", **values):
        roles = {"target": target, "treatment": treatment}
        named = "".join(f"  {role}: {name}\n" for role, name in roles.items() if name)
        lines = [f"  - {{metric: {one}}}\n" for one in ("distinction, at_most: 0.8", *thresholds)]
        path = tmp_path / "policy.yaml"
        path.write_text(HEAD.format(roles=named) + "".join(lines), encoding="utf-8")
        with audit(medical.assign(**values), policy=path) as audited:
            return audited

    return judge


THREE = {"Treatment": [*"ABCABCABCA"]}


@pytest.mark.samples(4)
@pytest.mark.parametrize(
    ("threshold", "values", "is_met", "reason"),
    [
        ("separation, at_most: 0.94", {}, True, ""),
        ("mean_class_size, at_least: 1.26", {}, False, ""),
        ("k_anonymity_per_class, at_least: 1.2, parameters: {statistic: mean}", {}, True, ""),
        ("l_diversity, at_least: 2", {}, False, ""),
        ("covariate_shift, at_most: 2.9", {}, True, ""),
        # a utility may be limited on either side: one of 1 is wanted by one policy and feared by another
        ("accuracy, at_least: 0.8", {}, True, ""),
        ("accuracy, at_most: 0.8", {}, False, ""),
        # a target of text has no range and three values no control, which is no reason to pass
        ("range_utility, at_most: 10", {}, False, "has no numbers"),
        ("covariate_shift, at_most: 2.9", THREE, False, "has 3 values beside NULL"),
    ],
)
def test_a_threshold_that_does_not_hold_blocks(threshold, values, is_met, reason, judged):
    """Age and Gender make eight classes of ten records: one figure on the wrong side is enough, or none."""
    audited = judged(threshold, **values)
    assert audited.exit_code is (ExitCode.PASSED if is_met else ExitCode.BLOCKED)
    assert [result.is_met for result in audited.verdict.thresholds] == [True, is_met]
    assert reason in audited.verdict.thresholds[1].measurement.reason


REFUSED = [
    ("accuracy, at_least: 0.1", {"target": None}, r"needs a target column; name one as roles\.target"),
    ("range_utility, at_least: 0.1", {"target": None}, r"needs a target column; name one as roles\.target"),
    ("balance_test, at_least: 1", {"treatment": None}, r"a treatment column; name one as roles\.treatment"),
]


@pytest.mark.parametrize(("threshold", "roles", "reason"), REFUSED)
def test_an_error_of_the_policy(threshold, roles, reason, judged):
    """A lacking role is refused with a sentence."""
    with pytest.raises(PolicyError, match=reason):
        judged(threshold, **roles)


BELOW_2 = {"metric": "persons_below_k", "at_most": 1000, "parameters": {"k": 2}}
ACCURATE = {"metric": "accuracy", "at_least": 0.01}
WIDE = {"name": "wide", "quasi_identifiers": ["Gender", "Outcome"], "thresholds": [ACCURATE]}


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        # a combination that holds the target cannot be measured beside it
        ({"thresholds": [BELOW_2], "combinations": [WIDE]}, "'Outcome' is one of the quasi-identifiers"),
        # a policy whose only threshold is on a change is refused when it is read against the metrics
        ({"thresholds": [{"metric": "delta_distinction", "at_most": 0.5}]}, "ask for distinction"),
    ],
)
def test_a_policy_of_its_own_is_refused(rules, reason, medical):
    """What no table could be judged by is an error before the table is looked at."""
    roles = {"quasi_identifiers": ["Age"], "target": "Outcome"}
    head = {"qidguard": 1, "name": "both", "roles": roles, "unnamed_columns": "insensitive"}
    with pytest.raises(PolicyError, match=reason):
        audit(medical, policy=head | rules)
