"""What a policy's fields must be to each other."""

from typing import Any

import pytest

import policy_texts
from policy_texts import K5, fields
from qidguard.core.errors import PolicyError
from qidguard.policy import Policy, load_policy, parse_policy

ATTESTED = [{"statement": "done", "by": "A. Roe", "on": "2026-05-01"}]


def asked(roles: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return the fields of a policy on age and sex with one threshold, changed by some."""
    return fields({"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"], **(roles or {})}) | more


def policy(**more: Any) -> Policy:
    """Return such a policy."""
    return load_policy(asked(**more))


def complaint(**more: Any) -> str:
    """Return what is said against such a policy."""
    return policy_texts.complaint(asked(**more))


@pytest.mark.parametrize(("roles", "expected"), [
    ({"direct_identifiers": ["sex"]},
     "column 'sex' cannot be a QID and a direct identifier at once; keep one role"),
    ({"insensitive": ["disease"]}, "column 'disease' cannot be sensitive and insensitive at once"),
    ({"entity": "age"}, "column 'age' cannot be a QID and the entity at once"),
    ({"weight": "age"}, "column 'age' cannot be a QID and the weight at once"),
    ({"direct_identifiers": ["id"], "target": "id"},
     "column 'id' cannot be a direct identifier and the target at once"),
])  # fmt: skip
def test_a_column_in_two_roles_is_an_error(roles: dict[str, Any], expected: str) -> None:
    """Two roles contradict each other."""
    assert expected in complaint(roles=roles)


@pytest.mark.parametrize("roles", [
    {"entity": "id", "direct_identifiers": ["id"]}, {"entity": "id", "insensitive": ["id"]},
    {"target": "disease"}, {"target": "age", "treatment": "age"},
])  # fmt: skip
def test_uses_may_share_a_column_with_a_role(roles: dict[str, Any]) -> None:
    """An entity is counted, a target predicted: neither says what the column is to a person."""
    assert policy(roles=roles).named_columns[:3] == ("age", "sex", "disease")


def test_a_quasi_identifier_may_be_sensitive() -> None:
    """Race is known of some and learned of others, in the main combination and in every other one."""
    combination = {"name": "a", "quasi_identifiers": ["age", "disease"], "thresholds": [K5]}
    made = policy(roles={"sensitive": ["age", "disease"]}, combinations=[combination])
    assert made.measured_columns == ()  # what is published as a QID is counted as it is published


def test_combinations_have_names_of_their_own() -> None:
    """A report could not tell them apart, and the main one is named default."""
    one = {"name": "a", "quasi_identifiers": ["age"], "thresholds": [K5]}
    assert "two combinations are named 'a'" in complaint(combinations=[one, one])
    assert "'default' is that of the main one" in complaint(combinations=[{**one, "name": "default"}])


def test_nobody_knows_more_qids_than_there_are() -> None:
    """knows_any is at most the number of QIDs; of automatic QIDs the number is not known yet."""
    assert "knows_any is 3, but there are only 2 QIDs; write at most 2" in complaint(
        attacker={"knows_any": 3}
    )
    one = {"name": "a", "quasi_identifiers": ["age"], "attacker": {"knows_any": 2}, "thresholds": [K5]}
    assert "knows_any is 2, but there is only 1 QID; write at most 1" in complaint(combinations=[one])
    auto = policy(attacker={"knows_any": 3}, roles={"quasi_identifiers": "auto"})
    assert auto.is_auto
    assert auto.all_combinations(("age", "sex"))[0].attacker == "all"


def test_a_threshold_speaks_of_sensitive_attributes_that_are_named() -> None:
    """A misspelled attribute is never silently unmeasured."""
    wrong = {"metric": "distinct_l_diversity", "at_least": 2, "sensitive": "diseas"}
    assert "'diseas' is not in roles.sensitive; did you mean 'disease'?" in complaint(thresholds=[wrong])
    right = policy(thresholds=[{**wrong, "sensitive": ["disease"]}]).thresholds[0]
    assert right.sensitive_columns == ("disease",)


def test_a_policy_without_a_threshold_is_an_error() -> None:
    """Nothing could pass it; a preset's threshold or a combination's is enough."""
    assert "the policy sets no threshold, so nothing can pass it" in complaint(thresholds=[])
    assert "preset 'hipaa-expert' brings none" in complaint(
        thresholds=[], preset="hipaa-expert", attestations=ATTESTED
    )
    assert policy(thresholds=[], preset="pdpc-sg-5").preset_thresholds[0].value == 5
    one = {"name": "a", "quasi_identifiers": ["age"]}
    assert "combination 'a' has no threshold" in complaint(combinations=[one])
    assert policy(thresholds=[], combinations=[{**one, "thresholds": [K5]}]).combinations[0].name == "a"


def test_a_policy_whose_thresholds_all_warn_is_an_error() -> None:
    """Nothing would ever block; one threshold that does is enough, wherever it stands."""
    warning = {**K5, "on_miss": "warn"}
    expected = "every threshold only warns, so nothing would ever block; write on_miss: block for one"
    other = {"name": "a", "quasi_identifiers": ["age"], "thresholds": [warning]}
    for more in ({}, {"combinations": [other]}, {"preset": "hipaa-expert", "attestations": ATTESTED}):
        assert expected in complaint(thresholds=[warning], **more)
    assert expected in complaint(thresholds=[], combinations=[other])
    for more in ({"thresholds": [warning, K5]}, {"thresholds": [warning], "preset": "pdpc-sg-5"}):
        assert policy(**more).thresholds[0].on_miss == "warn"
    assert policy(thresholds=[warning], combinations=[{**other, "thresholds": [K5]}]).combinations
    text = "qidguard: 1\nname: a\nroles: {quasi_identifiers: [age]}\nthresholds:\n- metric: k_anonymity\n"
    with pytest.raises(PolicyError, match=r"p line 7: every threshold only warns"):
        parse_policy(text + "  at_least: 5\n  on_miss: warn\n", "p")


def test_a_warning_does_not_weaken_the_preset() -> None:
    """The preset's threshold blocks, also where the policy warns at the same limit."""
    loaded = policy(preset="pdpc-sg-5", thresholds=[{**K5, "on_miss": "warn"}])
    (main,) = loaded.all_combinations(("age", "sex"))
    assert [(t.value, t.on_miss) for t in main.thresholds] == [(5, "warn"), (5, "block"), (0.2, "warn")]
    assert [t.limit().is_blocking for t in main.thresholds] == [False, True, False]


def test_an_unknown_preset_is_an_error_with_a_guess() -> None:
    """A misspelled preset never means no preset."""
    assert "there is no preset 'pdpc-sg5'; did you mean 'pdpc-sg-5'?" in complaint(preset="pdpc-sg5")


def test_what_only_a_person_can_certify_must_be_attested() -> None:
    """The error says what to attest; an attestation satisfies it."""
    said = complaint(preset="hipaa-safe-harbor")
    assert "no tool can certify" in said
    assert "no actual knowledge that anyone could be identified" in said
    assert policy(preset="hipaa-safe-harbor", attestations=ATTESTED).attestations[0].by == "A. Roe"


def test_a_policy_cannot_be_laxer_than_its_preset() -> None:
    """Own and preset thresholds both hold, for the main combination and for each other; equal ones once."""
    combination = {"name": "a", "quasi_identifiers": ["age"], "thresholds": [{**K5, "at_least": 2}]}
    loaded = policy(preset="ema-0070", combinations=[combination], thresholds=[K5])
    main, other = loaded.all_combinations(("age", "sex"))
    assert [t.value for t in main.thresholds] == [5, 11, 0.09]
    assert [t.value for t in other.thresholds] == [2, 11, 0.09]
    assert (main.name, main.quasi_identifiers, main.attacker) == ("default", ("age", "sex"), "all")
    assert len(policy(preset="pdpc-sg-5").all_combinations(("age",))[0].thresholds) == 2


def test_automatic_qids_that_find_nothing_are_an_error() -> None:
    """A table without QIDs is not judged safe for lack of them; the line is that of the roles."""
    text = "qidguard: 1\nname: a\nroles:\n  quasi_identifiers: auto\npreset: pdpc-sg-5\n"
    with pytest.raises(PolicyError, match=r"p line 4: roles\.quasi_identifiers finds no column"):
        parse_policy(text, "p").all_combinations(())


def test_named_columns_are_listed_once_in_order() -> None:
    """Roles first, then combinations."""
    combination = {"name": "a", "quasi_identifiers": ["zip", "age"], "thresholds": [K5]}
    loaded = policy(combinations=[combination], roles={"entity": "id", "direct_identifiers": ["id"]})
    assert loaded.named_columns == ("age", "sex", "disease", "id", "zip")


def test_a_policy_is_frozen() -> None:
    """What was reviewed cannot change."""
    with pytest.raises(ValueError, match="frozen"):
        policy().name = "other"
