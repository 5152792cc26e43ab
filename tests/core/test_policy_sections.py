"""The sections on releases, remedies, exceptions, budgets and evidence, field by field."""

from fractions import Fraction

import pytest

from qidguard.core.errors import PolicyError
from qidguard.policy import (
    Approver,
    Evidence,
    Exceptions,
    PrivacyBudget,
    Release,
    Remedy,
    parse_policy,
)
from qidguard.policy.exceptions import EXAMPLE

TEXT = """\
qidguard: 1
name: demo
roles: {quasi_identifiers: [age, sex]}
thresholds: [{metric: k_anonymity, at_least: 5}]
"""
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
"""


def complaint(text: str) -> str:
    """Return what is said against ``text`` below a policy of four lines."""
    with pytest.raises(PolicyError) as caught:
        parse_policy(TEXT + text, "p.yaml")
    said = str(caught.value)
    assert "pydantic" not in said
    assert "input_value" not in said
    return said


def test_a_full_policy_gives_typed_fields() -> None:
    """Every new field arrives with its type, and fractions are exact."""
    policy = parse_policy(TEXT + FULL)
    assert policy.release == Release(
        data_set="patients",
        format="parquet",
        drop=("ward", "bed"),
        keep_order=True,
        signature="required",
        signers=(EXAMPLE,),
        earlier_releases="unrelated",
        destination="published/",
    )
    assert policy.remedy == Remedy(anonymizer="small_class_suppression", parameters={"k": 5})
    assert policy.exceptions.approvers == (Approver(name="A. Roe, privacy officer", key=EXAMPLE),)
    assert policy.exceptions.longest_days == 14
    assert policy.privacy_budget == PrivacyBudget(
        epsilon=Fraction(1, 10), delta=Fraction(1, 10**6), population="patients of St. Mary"
    )
    assert (policy.evidence.title, policy.evidence.series) == ("Discharges", "re-release")
    assert str(policy.evidence.data_as_of) == "2025-12-31"
    assert dict(policy.evidence.columns) == {"age": "teaching"}


def test_a_policy_that_says_nothing_of_releases_has_the_careful_defaults() -> None:
    """Order is shuffled, earlier releases count, nobody may approve an exception, nothing may be spent."""
    policy = parse_policy(TEXT)
    assert policy.release == Release()
    assert (policy.release.keep_order, policy.release.earlier_releases) == (False, "judged")
    assert (policy.release.signature, policy.release.signers, policy.release.drop) == ("optional", (), ())
    assert (policy.release.data_set, policy.release.format, policy.release.destination) == (None,) * 3
    assert (policy.remedy, policy.privacy_budget) == (None, None)
    assert policy.exceptions == Exceptions(approvers=(), longest_days=30)
    assert policy.evidence == Evidence()
    assert set(policy.evidence.model_dump(exclude={"columns"}).values()) == {None}
    assert parse_policy(TEXT + "release:\nexceptions:\nevidence:\nremedy:\n") == policy


def test_evidence_has_every_field_that_only_a_person_can_state() -> None:
    """Text where the field is a sentence, three words or a day where it is not."""
    texts = set(Evidence.model_fields) - {"data_as_of", "series", "model", "columns"}
    assert texts == {
        *("title", "sponsor", "signatory", "risk_statement", "limitations", "sources", "assumptions"),
        *("purpose", "recipients", "data_flow", "threshold_rationale", "attack_model", "population_basis"),
        *("transfer", "disposal"),
    }
    for name in texts:
        assert getattr(Evidence.model_validate({name: "x"}), name) == "x"
        assert f"line 6: evidence.{name} must not be empty" in complaint(f"evidence:\n  {name}: ''\n")


@pytest.mark.parametrize(("text", "expected"), [
    ("release: x", "line 5: release must be a mapping, not 'x'"),
    ("release:\n  dorp: [a]", "line 6: there is no field release.dorp; did you mean 'drop'?"),
    ("release:\n  data_set: ../x",
     ("line 6: release.data_set must be a name of at most 100 letters, digits, dots, hyphens and"
      " underscores that begins with a letter, a digit or an underscore, not '../x'; write for example"
      " data_set: patients")),
    ("release: {data_set: .x}", "line 5: release.data_set must be a name of at most 100"),
    ("release: {data_set: -x}", "line 5: release.data_set must be a name of at most 100"),
    ("release: {data_set: ''}", "line 5: release.data_set must be a name of at most 100"),
    ("release: {data_set: 7}", "line 5: release.data_set must be a name of at most 100"),
    ('release: {data_set: "a\\n"}', "line 5: release.data_set must be a name of at most 100"),
    ("release: {data_set: ä}", "line 5: release.data_set must be a name of at most 100"),
    (f"release: {{data_set: {'x' * 101}}}", "line 5: release.data_set must be a name of at most 100"),
    ("release: {format: xlsx}", "line 5: release.format must be parquet or csv, not 'xlsx'"),
    ("release:\n  drop: ward",
     "line 6: release.drop must be a list, not 'ward'; write for example drop: [ward]"),
    ("release:\n  drop:\n  - a\n  - a", "line 8: release.drop[1] names the column 'a' twice"),
    ("release:\n  drop:\n  - 7", "line 7: release.drop[0] must be text, not 7; put it in quotes: '7'"),
    ("release: {keep_order: 1}", "line 5: release.keep_order must be true or false, not 1"),
    ("release: {signature: require}",
     "line 5: release.signature must be required or optional, not 'require'; did you mean 'required'?"),
    ("release: {signature: true}", "line 5: release.signature must be required or optional, not true"),
    ("release: {earlier_releases: ignored}",
     "line 5: release.earlier_releases must be judged or unrelated, not 'ignored'"),
    ("release: {destination: ' '}", "line 5: release.destination must not be empty"),
    ("release: {signers: abc}", "line 5: release.signers must be a list, not 'abc'"),
    ("release:\n  signers:\n  - abc",
     ("line 7: release.signers[0] must be a public key: ed25519: and the base64 of 32 bytes; write it"
      " as qidguard keys new prints it")),
    (f"release:\n  signers:\n  - {EXAMPLE}\n  - {EXAMPLE}",
     "line 8: release.signers[1] names the same key twice; keep one of them"),
    ("release:\n  signers:\n  - 7", "line 7: release.signers[0] must be the text of a public key, not 7"),
    ("remedy: {parameters: {k: 5}}",
     "line 5: remedy lacks anonymizer and recode, and one is required; write for example recode:"),
    ("remedy: {anonymizer: a, recode: {age: drop}}",
     "line 5: remedy has both anonymizer and recode; keep one of them"),
    ("remedy: {anonymizer: a, suppress: 0.1}", "line 5: remedy has suppress without recode;"),
    ("remedy: {recode: {age: drop}, parameters: {k: 5}}",
     "line 5: remedy has parameters beside recode; leave parameters out"),
    ("remedy: {recode: {age: drop}, choose: knee}", "line 5: remedy has choose beside recode; leave"),
    ("remedy: {recode: {age: drop}, output: new_table}", "line 5: remedy has output beside recode,"),
    ("remedy: {recode: {age: 0}}", "line 5: remedy has a recode that changes nothing; give a column"),
    ("remedy: {recode: {}}", "line 5: remedy has a recode that changes nothing; give a column"),
    ("remedy:\n  recode:\n    age: top",
     "line 7: remedy.recode.age must be a level, a whole number from 0 on, or drop, not 'top'; list"),
    ("remedy:\n  recode:\n    age: -1", "line 7: remedy.recode.age must be a level, a whole number"),
    ("remedy:\n  recode:\n    age: 1.5", "line 7: remedy.recode.age must be a level, a whole number"),
    ("remedy:\n  recode:\n    age: true", "line 7: remedy.recode.age must be a level, a whole number"),
    ("remedy:\n  recode: age", "line 6: remedy.recode must be a mapping of columns to levels, not 'age'"),
    ("remedy: {recode: {age: drop}, suppress: 1}",
     "line 5: remedy.suppress must be at least 0 and below 1, not 1; write for example suppress: 0.02"),
    ("remedy: {recode: {age: drop}, suppress: -0.1}", "line 5: remedy.suppress must be at least 0"),
    ("remedy: {recode: {age: drop}, suppress: all}", "line 5: remedy.suppress must be a number, not"),
    ("remedy:\n  recode:\n    age: 1",
     ("line 7: recode puts column 'age' on level 1, and the policy declares no hierarchy of it; add one"
      " under hierarchies, or drop the column")),
    ("remedy:\n  recode:\n    agee: drop",
     "line 7: recode is for QIDs, and column 'agee' has no role; did you mean 'age'?"),
    ("remedy:\n  anonymizer: ''", "line 6: remedy.anonymizer must not be empty"),
    ("remedy:\n  anonymizer: a\n  parameters:\n    k: [[5]]",
     "line 8: remedy.parameters.k must hold numbers, text, true or false, not a list"),
    ("exceptions: {longest_days: 0}", "line 5: exceptions.longest_days must be at least 1, not 0"),
    ("exceptions: {longest_days: 367}", "line 5: exceptions.longest_days must be at most 366, not 367"),
    ("exceptions: {longest_days: 1.5}", "line 5: exceptions.longest_days must be a whole number"),
    ("exceptions: {approvers: A. Roe}", "line 5: exceptions.approvers must be a list, not 'A. Roe'"),
    ("exceptions:\n  approvers:\n  - {name: A}",
     "line 7: exceptions.approvers[0] lacks 'key', which is required; write for example key: ed25519:"),
    ("exceptions:\n  approvers:\n  - name: A\n    key: rsa",
     "line 8: exceptions.approvers[0].key must be a public key: ed25519: and the base64 of 32 bytes"),
    (f'exceptions:\n  approvers:\n  - name: ""\n    key: "{EXAMPLE}"',
     "line 7: exceptions.approvers[0].name must not be empty"),
    ("privacy_budget: {delta: 0.1}", "line 5: privacy_budget lacks 'epsilon', which is required"),
    ("privacy_budget: 1", "line 5: privacy_budget must be a mapping, not 1"),
    ("privacy_budget:\n  epsilon: 0",
     "line 6: privacy_budget.epsilon must be above 0 and at most 1e+15, not 0; write for example epsilon: 1"),
    ("privacy_budget: {epsilon: -1}", "line 5: privacy_budget.epsilon must be above 0"),
    ("privacy_budget: {epsilon: 2e15}", "line 5: privacy_budget.epsilon must be above 0 and at most"),
    ("privacy_budget: {epsilon: true}",
     "line 5: privacy_budget.epsilon must be a number, or a text such as '1/3', not true"),
    ("privacy_budget: {epsilon: one}", "line 5: privacy_budget.epsilon must be a number, or a text"),
    ("privacy_budget: {epsilon: .inf}", "line 5: privacy_budget.epsilon must be a finite number"),
    ("privacy_budget: {epsilon: .nan}", "line 5: privacy_budget.epsilon must be a finite number"),
    ("privacy_budget: {epsilon: 1/0}", "line 5: privacy_budget.epsilon must not divide by zero, as '1/0'"),
    ("privacy_budget: {epsilon: 1, delta: 1}",
     "line 5: privacy_budget.delta must be at least 0 and below 1, not 1; write for example delta: 1e-06"),
    ("privacy_budget: {epsilon: 1, delta: -0.1}", "line 5: privacy_budget.delta must be at least 0"),
    ("privacy_budget: {epsilon: 1, delta: 3/2}", "line 5: privacy_budget.delta must be at least 0"),
    ("privacy_budget: {epsilon: 1, population: 7}", "line 5: privacy_budget.population must be text"),
    ("evidence:\n  data_as_of: soon",
     "line 6: evidence.data_as_of must be a date, not 'soon'; write for example data_as_of: 2025-12"),
    ("evidence:\n  series: one", "line 6: evidence.series must be single, series or re-release, not 'one'"),
    ("evidence:\n  model: open", "line 6: evidence.model must be public, controlled or internal"),
    ("evidence:\n  columns: [age]", "line 6: evidence.columns must be a mapping, not a list"),
    ("evidence:\n  columns:\n    age: ''",
     ("line 7: evidence.columns.age must not be empty; write for example columns: {age: readmission"
      " depends on it}")),
    ("evidence:\n  columns:\n    age: 7",
     "line 7: evidence.columns.age must be text, not 7; put it in quotes: '7'"),
    ("evidence:\n  tilte: x", "line 6: there is no field evidence.tilte; did you mean 'title'?"),
])  # fmt: skip
def test_a_wrong_field_is_one_sentence_with_its_line(text: str, expected: str) -> None:
    """The sentence gives the line, the field, the rule and what to write."""
    assert complaint(text).startswith(f"p.yaml {expected}")


@pytest.mark.parametrize("text", [
    "release: {signers: [hunter2-secret]}", "exceptions: {approvers: [{name: A, key: hunter2-secret}]}",
    'release: {destination: "s3://me:hunter2-secret@store/x"}',
    'release: {destination: "s3://:hunter2-secret@store"}',
])  # fmt: skip
def test_what_may_be_a_secret_is_not_repeated(text: str) -> None:
    """A secret key or a password in the wrong place stays out of the error."""
    said = complaint(text)
    assert said.startswith("p.yaml line 5: ")
    assert "hunter2" not in said


@pytest.mark.parametrize(
    "destination", ["published/", "s3://bucket/x", "abfs://data@store.example/x", "C:\\out", "a:b@c"]
)
def test_a_destination_without_a_password_is_a_place(destination: str) -> None:
    """Folders and addresses of stores are kept as they are; a container before @ is no password."""
    assert Release(destination=destination).destination == destination


@pytest.mark.parametrize("name", ["patients", "a", "_x", "2026.v1-final_b", "x" * 100])
def test_names_of_data_sets(name: str) -> None:
    """Letters, digits, dots, hyphens and underscores."""
    assert Release(data_set=name).data_set == name
