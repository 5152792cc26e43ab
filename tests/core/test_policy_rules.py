"""What a policy's fields must be to each other."""

from typing import Any

import pytest

from policy_texts import K5, complaint, fields
from qidguard.core.errors import PolicyError
from qidguard.policy import Policy, load_policy, parse_policy

ATTESTED = [{"statement": "done", "by": "A. Roe", "on": "2026-05-01"}]


def asked(roles: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return the fields of a policy on age and sex with one threshold, changed by some."""
    return fields({"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"], **(roles or {})}) | more


def policy(**more: Any) -> Policy:
    """Return such a policy."""
    return load_policy(asked(**more))


ONE: dict[str, Any] = {"name": "a", "quasi_identifiers": ["age"], "thresholds": [K5]}
BARE = {"name": "a", "quasi_identifiers": ["age"]}
WARNING = {**K5, "on_miss": "warn"}
EXPERT = {"preset": "hipaa-expert", "attestations": ATTESTED}
MISSPELLED = {"metric": "distinct_l_diversity", "at_least": 2, "sensitive": "diseas"}
ONLY_WARNS = "every threshold only warns, so nothing would ever block; write on_miss: block for one"


@pytest.mark.parametrize(("changes", "expected"), [
    # two roles contradict each other
    ({"roles": {"direct_identifiers": ["sex"]}},
     "column 'sex' cannot be a QID and a direct identifier at once; keep one role"),
    ({"roles": {"insensitive": ["disease"]}},
     "column 'disease' cannot be sensitive and insensitive at once"),
    ({"roles": {"entity": "age"}}, "column 'age' cannot be a QID and the entity at once"),
    ({"roles": {"weight": "age"}}, "column 'age' cannot be a QID and the weight at once"),
    ({"roles": {"direct_identifiers": ["id"], "target": "id"}},
     "column 'id' cannot be a direct identifier and the target at once"),
    # a report could not tell combinations of one name apart, and the main one is named default
    ({"combinations": [ONE, ONE]}, "two combinations are named 'a'"),
    ({"combinations": [{**ONE, "name": "default"}]}, "'default' is that of the main one"),
    # nobody knows more QIDs than there are
    ({"attacker": {"knows_any": 3}}, "knows_any is 3, but there are only 2 QIDs; write at most 2"),
    ({"combinations": [{**ONE, "attacker": {"knows_any": 2}}]},
     "knows_any is 2, but there is only 1 QID; write at most 1"),
    # a misspelled attribute is never silently unmeasured, and a misspelled preset never means no preset
    ({"thresholds": [MISSPELLED]}, "'diseas' is not in roles.sensitive; did you mean 'disease'?"),
    ({"preset": "pdpc-sg5"}, "there is no preset 'pdpc-sg5'; did you mean 'pdpc-sg-5'?"),
    # without a threshold nothing could pass
    ({"thresholds": []}, "the policy sets no threshold, so nothing can pass it"),
    ({"thresholds": [], **EXPERT}, "preset 'hipaa-expert' brings none"),
    ({"combinations": [BARE]}, "combination 'a' has no threshold"),
    # where all thresholds warn nothing would ever block
    ({"thresholds": [WARNING]}, ONLY_WARNS),
    ({"thresholds": [WARNING], "combinations": [{**ONE, "thresholds": [WARNING]}]}, ONLY_WARNS),
    ({"thresholds": [WARNING], **EXPERT}, ONLY_WARNS),
    ({"thresholds": [], "combinations": [{**ONE, "thresholds": [WARNING]}]}, ONLY_WARNS),
    # what only a person can certify must be attested
    ({"preset": "hipaa-safe-harbor"}, "no tool can certify"),
    ({"preset": "hipaa-safe-harbor"}, "no actual knowledge that anyone could be identified"),
])  # fmt: skip
def test_what_contradicts_itself_is_an_error(changes: dict[str, Any], expected: str) -> None:
    """Fields that load alone and not beside each other are told in a sentence."""
    assert expected in complaint(asked(**changes))


@pytest.mark.parametrize("roles", [
    {"entity": "id", "direct_identifiers": ["id"]}, {"entity": "id", "insensitive": ["id"]},
    {"target": "disease"}, {"target": "age", "treatment": "age"},
])  # fmt: skip
def test_uses_may_share_a_column_with_a_role(roles: dict[str, Any]) -> None:
    """An entity is counted, a target predicted: neither says what the column is to a person."""
    assert policy(roles=roles).named_columns[:3] == ("age", "sex", "disease")


def test_a_quasi_identifier_may_be_sensitive() -> None:
    """Race is known of some and learned of others, in the main combination and in every other one."""
    combination = {**ONE, "quasi_identifiers": ["age", "disease"]}
    made = policy(roles={"sensitive": ["age", "disease"]}, combinations=[combination])
    assert made.measured_columns == ()  # what is published as a QID is counted as it is published


def test_how_many_automatic_qids_there_are_is_not_known_yet() -> None:
    """So an attacker may know any three of them, and all where only two are found."""
    auto = policy(attacker={"knows_any": 3}, roles={"quasi_identifiers": "auto"})
    assert auto.is_auto
    assert auto.all_combinations(("age", "sex"))[0].attacker == "all"


def test_what_makes_a_policy_whole_is_enough_wherever_it_stands() -> None:
    """A threshold of a preset or of a combination, one that blocks, a named attribute, an attestation."""
    right = policy(thresholds=[{**MISSPELLED, "sensitive": ["disease"]}]).thresholds[0]
    assert right.sensitive_columns == ("disease",)
    assert policy(thresholds=[], preset="pdpc-sg-5").preset_thresholds[0].value == 5
    assert policy(thresholds=[], combinations=[ONE]).combinations[0].name == "a"
    for more in ({"thresholds": [WARNING, K5]}, {"thresholds": [WARNING], "preset": "pdpc-sg-5"}):
        assert policy(**more).thresholds[0].on_miss == "warn"
    assert policy(thresholds=[WARNING], combinations=[ONE]).combinations
    assert policy(preset="hipaa-safe-harbor", attestations=ATTESTED).attestations[0].by == "A. Roe"


def test_thresholds_that_all_warn_are_told_with_their_line() -> None:
    """The line is that of the thresholds."""
    text = "qidguard: 1\nname: a\nroles: {quasi_identifiers: [age]}\nthresholds:\n- metric: k_anonymity\n"
    said = complaint(text + "  at_least: 5\n  on_miss: warn\n", "p")
    assert said.startswith("p line 7: every threshold only warns")


def test_a_warning_does_not_weaken_the_preset() -> None:
    """The preset's threshold blocks, also where the policy warns at the same limit."""
    loaded = policy(preset="pdpc-sg-5", thresholds=[WARNING])
    (main,) = loaded.all_combinations(("age", "sex"))
    assert [(t.value, t.on_miss) for t in main.thresholds] == [(5, "warn"), (5, "block"), (0.2, "warn")]
    assert [t.limit().is_blocking for t in main.thresholds] == [False, True, False]


def test_a_policy_cannot_be_laxer_than_its_preset() -> None:
    """Own and preset thresholds both hold, for the main combination and for each other; equal ones once."""
    combination = {**ONE, "thresholds": [{**K5, "at_least": 2}]}
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
    combination = {**ONE, "quasi_identifiers": ["zip", "age"]}
    loaded = policy(combinations=[combination], roles={"entity": "id", "direct_identifiers": ["id"]})
    assert loaded.named_columns == ("age", "sex", "disease", "id", "zip")


def test_a_policy_is_frozen() -> None:
    """What was reviewed cannot change."""
    with pytest.raises(ValueError, match="frozen"):
        policy().name = "other"
