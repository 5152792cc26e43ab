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


RISK = "metric: distinction, at_most: 0.8"
"""A threshold that holds, beside which every other one is looked at: a policy needs one on risk."""


@pytest.fixture
def judged(tmp_path, medical):
    """Return a function that audits the medical table under thresholds."""

    def judge(*thresholds, target="Outcome", treatment="Treatment", frame=medical):
        roles = (f"  target: {target}\n" if target else "") + (
            f"  treatment: {treatment}\n" if treatment else ""
        )
        path = tmp_path / "policy.yaml"
        lines = "".join(f"  - {{{threshold}}}\n" for threshold in (RISK, *thresholds))
        path.write_text(HEAD.format(roles=roles) + lines, encoding="utf-8")
        with audit(frame, policy=path) as audited:
            return audited

    return judge


PASSING = [
    "metric: separation, at_most: 0.94",
    "metric: mean_class_size, at_least: 1.25",
    "metric: k_anonymity_per_class, at_least: 1.2, parameters: {statistic: mean}",
    "metric: t_closeness_per_class, at_most: 1",
    "metric: delta_presence, at_most: 0.6",
    "metric: generalization_ratio, at_most: 1.2",
    "metric: accuracy, at_least: 0.8",
    "metric: completeness_utility, at_least: 1",
    "metric: distinct_values_utility, at_most: 2",
    "metric: gini_index, at_most: 0.5",
    "metric: group_entropy, at_most: 1",
    "metric: information_gain, at_least: 0.1",
    "metric: covariate_shift, at_most: 2.9",
    "metric: propensity_overlap, at_most: 0.999",
    "metric: balance_test, at_most: 5",
    "metric: attribute_length_penalty, at_most: 0.6",
    "metric: causal_importance, at_most: 9",
]
"""Thresholds that the medical table keeps: Age and Gender make eight classes of ten records."""

FAILING = [
    "metric: distinction, at_most: 0.79",
    "metric: mean_class_size, at_least: 1.26",
    "metric: l_diversity, at_least: 2",
    "metric: delta_presence, at_most: 0.59",
    "metric: accuracy, at_most: 0.5",
    "metric: completeness_utility, at_most: 0.99",
    "metric: group_entropy, at_least: 1",
    "metric: covariate_shift, at_most: 0.1",
    "metric: balance_test, at_most: 0.01",
    "metric: attribute_length_penalty, at_most: 0.51",
    "metric: k_anonymity_per_class, at_least: 1.3, parameters: {statistic: mean}",
]


def test_thresholds_that_hold(judged):
    """All of them together pass, and each has its figure."""
    audited = judged(*PASSING)
    assert audited.exit_code is ExitCode.PASSED
    results = audited.verdict.thresholds
    assert len(results) == len(PASSING) + 1
    assert all(result.measurement.value is not None for result in results)


@pytest.mark.samples(2)
@pytest.mark.parametrize("threshold", FAILING)
def test_a_threshold_that_does_not_hold_blocks(threshold, judged):
    """One figure on the wrong side is enough; the one on risk holds."""
    audited = judged(threshold)
    assert audited.exit_code is ExitCode.BLOCKED
    assert [result.is_met for result in audited.verdict.thresholds] == [True, False]


OF_TARGETS = ["accuracy", "information_gain", "range_utility", "gini_index"]
OF_TREATMENTS = ["covariate_shift", "balance_test", "propensity_overlap"]
TARGET = r"needs a target column; name one as roles\.target"
TREATMENT = r"needs a treatment column; name one as roles\.treatment"
REFUSED = [
    *((f"{metric}, at_least: 0.1", {"target": None}, TARGET) for metric in OF_TARGETS),
    *((f"{metric}, at_least: 0.1", {"treatment": None}, TREATMENT) for metric in OF_TREATMENTS),
    (
        "accuracy, at_least: 0.5, parameters: {statistic: median}",
        {},
        "'minimum' or 'maximum' or 'mean' or 'weighted_mean'",
    ),
    ("delta_distinction, at_most: 1", {}, "the change of distinction within a search; ask for distinction"),
]


@pytest.mark.parametrize(("threshold", "roles", "reason"), REFUSED)
def test_an_error_of_the_policy(threshold, roles, reason, judged):
    """A lacking role, an unknown statistic and a change outside a search are refused with a sentence."""
    with pytest.raises(PolicyError, match=reason):
        judged(f"metric: {threshold}", **roles)


@pytest.mark.parametrize(
    ("threshold", "values", "reason"),
    [
        ("metric: range_utility, at_most: 10", {}, "has no numbers"),
        ("metric: mean_squared_error, at_most: 10", {}, "has no numbers"),
        (
            "metric: covariate_shift, at_most: 2.9",
            {"Treatment": list("ABCABCABCA")},
            "has 3 values beside NULL",
        ),
    ],
)
def test_what_cannot_be_measured_blocks(threshold, values, reason, judged, medical):
    """A target of text has no range and three values no control, which is no reason to pass."""
    audited = judged(threshold, frame=medical.assign(**values))
    assert audited.exit_code is ExitCode.BLOCKED
    assert reason in audited.verdict.thresholds[1].measurement.reason


def test_a_utility_may_be_limited_on_either_side(judged):
    """An accuracy of 1 is wanted by one policy and feared by another."""
    codes = [judged(f"metric: accuracy, {bound}: 0.9").exit_code for bound in ("at_least", "at_most")]
    assert codes == [ExitCode.PASSED, ExitCode.BLOCKED]


def test_a_target_is_no_quasi_identifier_beside_itself(medical):
    """A combination that holds the target cannot be measured beside it."""
    policy = {
        "qidguard": 1,
        "name": "both",
        "roles": {"quasi_identifiers": ["Age"], "target": "Outcome"},
        "unnamed_columns": "insensitive",
        "thresholds": [{"metric": "persons_below_k", "at_most": 1000, "parameters": {"k": 2}}],
        "combinations": [
            {
                "name": "wide",
                "quasi_identifiers": ["Gender", "Outcome"],
                "thresholds": [{"metric": "accuracy", "at_least": 0.01}],
            }
        ],
    }
    with pytest.raises(PolicyError, match="'Outcome' is one of the quasi-identifiers"):
        audit(medical, policy=policy)


def test_a_change_is_no_threshold_alone_either(medical):
    """A policy whose only threshold is on a change is refused when it is read against the metrics."""
    threshold = {"metric": "delta_distinction", "at_most": 0.5}
    roles = {"quasi_identifiers": ["Age", "Gender"]}
    policy = {"qidguard": 1, "name": "ward", "roles": roles, "thresholds": [threshold]}
    with pytest.raises(PolicyError, match="ask for distinction"):
        audit(medical, policy=policy)
