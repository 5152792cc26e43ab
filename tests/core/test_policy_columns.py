"""Which columns a policy names, decides on and mentions."""

from qidguard.policy import parse_policy

HEAD = """\
qidguard: 1
name: demo
roles: {quasi_identifiers: [age, sex]}
thresholds: [{metric: k_anonymity, at_least: 5}]
"""


def test_columns_that_the_policy_drops_or_justifies_are_mentioned_and_not_named() -> None:
    """A dropped column has no role; it is decided on, and so is every column with one."""
    policy = parse_policy(
        HEAD + "release:\n  drop: [ward, sex]\nevidence:\n  columns:\n    age: a\n    bed: b\n", "p.yaml"
    )
    assert policy.named_columns == ("age", "sex")
    assert policy.dropped_columns == ("ward", "sex")
    assert policy.decided_columns == ("age", "sex", "ward")
    assert policy.mentioned_columns == ("age", "sex", "ward", "bed")
    assert policy.path_of_column("sex") == ("roles", "quasi_identifiers", 1)
    assert policy.path_of_column("ward") == ("release", "drop", 0)
    assert policy.path_of_column("bed") == ("evidence", "columns", "bed")
    assert [policy.line_of(*policy.path_of_column(name)) for name in ("ward", "bed")] == [6, 10]
