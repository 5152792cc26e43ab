"""The sections of a policy, field by field: what arrives, what is assumed, which columns they mention."""

from fractions import Fraction
from typing import Any

import pytest

from policy_texts import complaint, fields, head
from qidguard.policy import (
    Approver,
    DiscoverySettings,
    Exceptions,
    HierarchySettings,
    PrivacyBudget,
    ReleaseSettings,
    RemedySettings,
    StatedEvidence,
    draft_policy,
    load_policy,
    parse_policy,
)
from qidguard.policy.exceptions import EXAMPLE

TEXT = head()
FULL = f"""\
release:
  data_set: patients
  format: parquet
  drop: [ward, bed]
  keep_order: true
  signature: required
  signers: ["{EXAMPLE}"]
  earlier_releases: unrelated
  destination: published/
remedy:
  anonymizer: small_class_suppression
  parameters: {{k: 5}}
exceptions:
  approvers:
    - {{name: "A. Roe, privacy officer", key: "{EXAMPLE}"}}
  longest_days: 14
privacy_budget: {{epsilon: 0.1, delta: 1e-6, population: patients of St. Mary}}
evidence:
  title: Discharges
  series: re-release
  model: controlled
  data_as_of: 2025-12-31
  columns: {{age: teaching}}
discovery:
  strategy: evolutionary
  objective: {{distinction: 5, separation: -0.5}}
  parameters: {{population: 20}}
  seed: 7
  budget_seconds: 30.5
  largest: 4
  prefer_known: false
"""


def test_a_full_policy_gives_typed_fields() -> None:
    """Every field of these sections arrives with its type, and fractions are exact."""
    policy = parse_policy(TEXT + FULL)
    assert policy.release == ReleaseSettings(
        data_set="patients",
        format="parquet",
        drop=("ward", "bed"),
        keep_order=True,
        signature="required",
        signers=(EXAMPLE,),
        earlier_releases="unrelated",
        destination="published/",
    )
    assert policy.remedy == RemedySettings(anonymizer="small_class_suppression", parameters={"k": 5})
    assert policy.exceptions.approvers == (Approver(name="A. Roe, privacy officer", key=EXAMPLE),)
    assert policy.exceptions.longest_days == 14
    assert policy.privacy_budget == PrivacyBudget(
        epsilon=Fraction(1, 10), delta=Fraction(1, 10**6), population="patients of St. Mary"
    )
    assert (policy.evidence.title, policy.evidence.series) == ("Discharges", "re-release")
    assert str(policy.evidence.data_as_of) == "2025-12-31"
    assert dict(policy.evidence.columns) == {"age": "teaching"}
    assert policy.discovery == DiscoverySettings(
        strategy="evolutionary",
        objective={"distinction": 5, "separation": -0.5},
        parameters={"population": 20},
        seed=7,
        budget_seconds=30.5,
        largest=4,
        prefer_known=False,
    )


def test_a_policy_that_says_nothing_of_releases_has_the_careful_defaults() -> None:
    """Order is shuffled, earlier releases count, nobody may approve an exception, nothing may be spent."""
    policy = parse_policy(TEXT)
    assert policy.release == ReleaseSettings()
    assert (policy.release.keep_order, policy.release.earlier_releases) == (False, "judged")
    assert (policy.release.signature, policy.release.signers, policy.release.drop) == ("optional", (), ())
    assert (policy.release.data_set, policy.release.format, policy.release.destination) == (None,) * 3
    assert (policy.remedy, policy.privacy_budget) == (None, None)
    assert policy.exceptions == Exceptions(approvers=(), longest_days=30)
    assert policy.evidence == StatedEvidence()
    assert set(policy.evidence.model_dump(exclude={"columns"}).values()) == {None}
    assert parse_policy(TEXT + "release:\nexceptions:\nevidence:\nremedy:\n") == policy


def test_nothing_is_searched_or_declared_unless_somebody_writes_it() -> None:
    """An empty heading is no section, and no draft has one."""
    text = head("{quasi_identifiers: auto}")
    assert parse_policy(text).discovery is None
    assert parse_policy(text + "discovery:\n").discovery is None
    assert "discovery" not in draft_policy([])
    assert "hierarchies" not in draft_policy([])


def test_an_empty_discovery_asks_for_the_defaults() -> None:
    """The strategy follows from the table, the objective recognizes, the seed is 0, and there is no bound."""
    found = parse_policy(head("{quasi_identifiers: auto}") + "discovery: {}\n").discovery
    assert found is not None
    nothing = dict.fromkeys(("strategy", "budget_seconds", "largest", "prefer_known"))
    assert found.model_dump() == nothing | {"objective": "recognition", "parameters": {}, "seed": 0}


def test_hierarchies_arrive_as_they_were_written() -> None:
    """Numbers stay whole, ``auto`` alone is the automatic way, and order is kept."""
    roles = "{quasi_identifiers: [age, job], sensitive: [illness], target: income, entity: person}"
    text = "hierarchies:\n  job: auto\n  age: {intervals: [5, 10], from: 2, top: 90}\n"
    assert parse_policy(head(roles) + "hierarchies:\n").hierarchies == {}
    found = parse_policy(head(roles) + text).hierarchies
    assert list(found) == ["job", "age"]
    assert found["job"] == HierarchySettings(auto="auto")
    assert (found["age"].intervals, found["age"].origin, found["age"].top) == ((5, 10), 2, 90)
    assert [each.kind for each in found.values()] == ["auto", "intervals"]


@pytest.mark.parametrize("change", [
    {"roles": {"quasi_identifiers": "auto"}},
    {"unnamed_columns": "quasi_identifier"},
    {"combinations": [{"name": "c", "quasi_identifiers": ["ward"], "thresholds": fields()["thresholds"]}]},
    {"roles": {"quasi_identifiers": ["ward"], "target": "ward"}},
])  # fmt: skip
def test_a_column_that_may_become_a_qid_may_have_a_hierarchy(change: dict[str, Any]) -> None:
    """Recognizers, the default for unnamed columns and other combinations make QIDs too."""
    whole = {**fields({"quasi_identifiers": ["age", "job"]}), **change}
    policy = load_policy({**whole, "hierarchies": {"ward": "auto"}})
    assert "ward" in policy.mentioned_columns
    assert policy.path_of_column("ward")


def test_a_column_of_another_role_may_not_become_one() -> None:
    """With ``auto`` too, a sensitive attribute is no QID."""
    roles = {"quasi_identifiers": "auto", "sensitive": ["ward"]}
    assert "column 'ward' is sensitive" in complaint(fields(roles, hierarchies={"ward": "auto"}))


def test_a_remedy_is_applied_to_what_misses_and_rehearses_no_attack_unless_it_says_so() -> None:
    """What is written arrives, and nothing is assumed beside it."""
    text = head("{quasi_identifiers: [age]}") + "remedy: {anonymizer: mondrian"
    found = parse_policy(f"{text}, attacks: [linkage, homogeneity]}}\n").remedy
    assert found.attacks == ("linkage", "homogeneity")
    plain = parse_policy(f"{text}}}\n").remedy
    assert (plain.attacks, plain.when) == ((), "missed")
    assert parse_policy(f"{text}, when: always}}\n").remedy.when == "always"


def test_evidence_has_every_field_that_only_a_person_can_state() -> None:
    """Text where the field is a sentence, three words or a day where it is not."""
    texts = set(StatedEvidence.model_fields) - {"data_as_of", "series", "model", "columns"}
    assert texts == {
        *("title", "sponsor", "signatory", "risk_statement", "limitations", "sources", "assumptions"),
        *("purpose", "recipients", "data_flow", "threshold_rationale", "attack_model", "population_basis"),
        *("transfer", "disposal"),
    }
    for name in texts:
        assert getattr(StatedEvidence.model_validate({name: "x"}), name) == "x"
        said = complaint(f"{TEXT}evidence:\n  {name}: ''\n", "p.yaml")
        assert f"line 6: evidence.{name} must not be empty" in said


@pytest.mark.parametrize(
    "destination", ["published/", "s3://bucket/x", "abfs://data@store.example/x", "C:\\out", "a:b@c"]
)
def test_a_destination_without_a_password_is_a_place(destination: str) -> None:
    """Folders and addresses of stores are kept as they are; a container before @ is no password."""
    assert ReleaseSettings(destination=destination).destination == destination


def test_columns_that_the_policy_drops_or_justifies_are_mentioned_and_not_named() -> None:
    """A dropped column has no role; it is decided on, and so is every column with one."""
    policy = parse_policy(
        TEXT + "release:\n  drop: [ward, sex]\nevidence:\n  columns:\n    age: a\n    bed: b\n", "p.yaml"
    )
    assert policy.named_columns == ("age", "sex")
    assert policy.dropped_columns == ("ward", "sex")
    assert policy.decided_columns == ("age", "sex", "ward")
    assert policy.mentioned_columns == ("age", "sex", "ward", "bed")
    assert policy.path_of_column("sex") == ("roles", "quasi_identifiers", 1)
    assert policy.path_of_column("ward") == ("release", "drop", 0)
    assert policy.path_of_column("bed") == ("evidence", "columns", "bed")
    assert [policy.line_of(*policy.path_of_column(name)) for name in ("ward", "bed")] == [6, 10]


def test_the_columns_of_a_series_are_decided_and_never_published() -> None:
    """They need no role, the table has to have them, and the state stands relative to the policy's file."""
    text = head("{quasi_identifiers: [age], sensitive: [illness], entity: person}")
    policy = parse_policy(text + "series: {left_on: left, came_on: came, exit_on: until}\n", "a/p.yaml")
    assert policy.dropped_columns == ("left", "came", "until")
    assert set(policy.mentioned_columns) >= {"left", "came", "until"}
    assert policy.path_of_column("came") == ("series", "came_on")
    assert policy.state_folder is None
    kept = parse_policy(text + "series: {state: private}\n", "a/p.yaml")
    assert (kept.dropped_columns, kept.state_folder) == ((), "a/private")
