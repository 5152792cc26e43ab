"""Tests of policies that do not fit their table or metrics."""

import pytest

import qidguard
from audited import REST, TABLE, policy, roles, threshold
from qidguard import PolicyError


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (threshold("k_anonymity", at_least=0.5), "outside the metric's range"),
        (threshold("k_anonymity", at_least=1), "is never below 1; write at least 2"),
        (threshold("average_class_size", at_least=1), "never below 1; write a limit above 1"),
        (threshold("k_anonymity", at_least=1.5), "between two figures, which are whole numbers; write 2"),
        (threshold("sample_uniques", at_most=1.5), "between two figures, which are whole numbers; write 1"),
        (threshold("share_unique", at_most=1), "never above 1; write a limit below 1"),
        (threshold("rest_unique_share", at_most=1.0), "never above 1; write a limit below 1"),
        (threshold("delta_presence_min", at_least=0), "never below 0; write a limit above 0"),
        (threshold("discernibility", at_least=1), "never below 1"),
        (threshold("share_below_k", at_most=5), "outside the metric's range"),
        (threshold("share_below_k", at_most=0.1, parameters={"q": 3}), "unknown parameter 'q'"),
        (threshold("share_below_k", at_most=0.1, parameters={"k": "3"}), "'k' must be int"),
        (threshold("k_anonymity", at_least=2, sensitive="illness"), "not measured per sensitive"),
        (threshold("k_anonimity", at_least=2), "did you mean 'k_anonymity'"),
        (threshold("t_closeness", at_most=0.9) | roles(sensitive=[], insensitive=REST), "needs a sensitive"),
    ],
)  # fmt: skip
def test_a_policy_that_does_not_fit_its_metrics_is_the_users_error(changes, words):
    """Each is one sentence with the rule and the remedy, before anything is loaded."""
    with pytest.raises(PolicyError, match=words):
        qidguard.audit(TABLE, policy=policy(**changes))


def test_a_policy_that_names_an_absent_column_says_where(tmp_path):
    """The line of the policy, the name and the closest column of the table."""
    path = tmp_path / "p.yaml"
    path.write_text(
        "qidguard: 1\nname: p\nroles:\n  quasi_identifiers:\n    - sex\n    - agee\n"
        "thresholds:\n  - metric: k_anonymity\n    at_least: 2\n",
        encoding="utf-8",
    )
    with pytest.raises(
        PolicyError, match=r"p\.yaml line 6: the table has no column 'agee'; did you mean 'age'"
    ):
        qidguard.audit(TABLE, policy=path)
