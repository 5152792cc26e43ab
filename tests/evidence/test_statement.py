import copy
import json

import pytest

from example_release import first_predicate, predicate
from qidguard.core.errors import InternalError
from qidguard.core.new_table import NewTableKind
from qidguard.evidence.canonical import EvidenceFault, canonical_bytes
from qidguard.evidence.statement import read_statement, statement_bytes
from released import EXCEPTION

SUBJECTS = {"b.csv": "1" * 64, "a.csv": "2" * 64}


def test_a_statement_is_of_in_toto_v1():
    """Type, subjects in the order of their names, predicate type, predicate; integers stay integers."""
    content = statement_bytes(SUBJECTS, predicate())
    statement = json.loads(content)
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": "a.csv", "digest": {"sha256": "2" * 64}},
            {"name": "b.csv", "digest": {"sha256": "1" * 64}},
        ],
        "predicateType": "urn:qidguard:release:v3",
        "predicate": predicate(),
    }
    assert b'"limit": 2,' in content
    assert read_statement(content) == statement


def changed(path: tuple, value: object) -> dict:
    """Return the predicate with one place changed; a missing one is made."""
    document = copy.deepcopy(predicate())
    place = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize("path", [
    ("seed",), ("classes",), ("order",), ("values",), ("policy", "document"), ("verdict", "seed"),
    ("verdict", "thresholds", 0, "qids"), ("transformations", 1, "seed"), ("transformations", 1, "values"),
    ("attestations", 0, "note"), ("ledger", "payload"),
])  # fmt: skip
def test_nothing_but_what_may_be_public_is_written(path):
    """A field that is not on the list is refused at every level, whatever it holds."""
    with pytest.raises(InternalError, match="has a field that nobody knows"):
        statement_bytes(SUBJECTS, changed(path, 1))


@pytest.mark.parametrize(
    "name", ["seed", "shuffle_seed", "rare_values", "classes", "classes_by_size", "Seed", "Basel"]
)
def test_names_that_are_free_are_no_way_around(name):
    """Figures and versions have names of their own, and still none of these."""
    with pytest.raises(InternalError):
        statement_bytes(SUBJECTS, changed(("information_loss", name), 1))
    if name != "Basel":
        with pytest.raises(InternalError):
            statement_bytes(SUBJECTS, changed(("versions", name), "1.0"))


@pytest.mark.parametrize("field", sorted(predicate()))
def test_every_field_is_needed(field):
    """What is missing could have been left out to hide it."""
    with pytest.raises(InternalError, match=f"predicate.{field} is missing"):
        statement_bytes(SUBJECTS, {name: value for name, value in predicate().items() if name != field})


@pytest.mark.parametrize(("path", "value"), [
    (("release_id",), ""),
    (("release_id",), 1),
    (("released_at",), "2026-11-21"),
    (("released_at",), "2026-11-21T10:00:00+01:00"),
    (("released_at",), "2026-11-21T10:00:00"),
    (("policy", "sha256"), "A" * 64),
    (("policy", "sha256"), "a" * 63),
    (("policy", "preset"), 5),
    (("versions", "qidguard"), 1),
    (("transformations", 0), 5),
    (("transformations", 1, "columns"), True),
    (("transformations", 1, "columns"), -1),
    (("information_loss", "records_suppressed"), "1"),
    (("information_loss", "records_suppressed"), True),
    (("information_loss", "records_suppressed"), {"age": 1}),
    (("information_loss", "records_suppressed"), 1),
    (("information_loss", "records_suppressed"), {"from": 1, "to": 1}),
    (("information_loss", "records_suppressed"), {"from": 3, "to": 4}),
    (("information_loss", "records_suppressed", "from"), float("nan")),
    (("transformations", 1, "records"), {"from": 7, "to": 7}),
    (("least_count",), 1),
    (("verdict", "thresholds", 0, "value"), 7),
    (("verdict", "thresholds", 0, "is_warning"), True),
    (("verdict", "thresholds", 0, "unit"), "share"),
    (("verdict", "thresholds", 0, "value"), "3"),
    (("attestations", 0, "on"), "soon"),
    (("ledger", "sequence"), 1),
    (("ledger", "hash"), None),
    (("record_sha256",), None),
    (("approvals",), [{"id": "x"}]),
])  # fmt: skip
def test_every_field_has_its_kind(path, value):
    """Text is text, a count is a whole number, a digest has 64 small digits, a time is in UTC."""
    with pytest.raises(InternalError, match="The public attestation cannot be written"):
        statement_bytes(SUBJECTS, changed(path, value))


@pytest.mark.parametrize(("path", "value", "said"), [
    (("released_at",), "Zanzibar", "predicate.released_at is not a time in UTC such as 2026-11-21T10:00:00Z"),
    (("policy",), 5, "predicate.policy is not an object"),
    (("policy", "sha256"), "Zanzibar", "predicate.policy.sha256 is not a SHA-256 in 64 hexadecimal digits"),
    (("versions",), [], "predicate.versions is not an object of texts"),
    (("transformations",), "none", "predicate.transformations is not a list"),
    (("transformations", 1, "records", "to"), 1.0,
     "predicate.transformations[1].records.to is not a whole number of at least 0"),
    (("verdict", "thresholds", 0, "limit"), "2", "predicate.verdict.thresholds[0].limit is not a number"),
    (("verdict", "thresholds", 0, "bound"), "Zanzibar",
     "predicate.verdict.thresholds[0].bound is not 'at_least' or 'at_most'"),
    (("verdict", "outcome"), "blocked",
     "predicate.verdict.outcome is not one of passed, passed_by_exception"),
    (("verdict", "thresholds", 0, "is_met"), 1,
     "predicate.verdict.thresholds[0].is_met is not true or false"),
    (("accepted",), [{"columns": [5], "tells": None, "reason": "x", "by": None}],
     "predicate.accepted[0].columns[0] is not a text"),
    (("new_table",), {"kind": "Zanzibar", "counts": None, "sentence": "x"},
     f"predicate.new_table.kind is not {' or '.join(repr(kind.value) for kind in NewTableKind)}"),
])  # fmt: skip
def test_a_refusal_names_the_place_and_what_belongs_there(path, value, said):
    """In words of ours, whatever reads the documents."""
    with pytest.raises(InternalError) as raised:
        statement_bytes(SUBJECTS, changed(path, value))
    assert str(raised.value) == f"The public attestation cannot be written: {said}"


def test_null_stands_where_it_may():
    """No preset, no ledger, a figure that could not be measured."""
    for path in (("policy", "preset"), ("ledger",), ("verdict", "thresholds", 0, "value")):
        assert statement_bytes(SUBJECTS, changed(path, None))


def verdict(outcome="passed", approvals=(), **threshold):
    """Return a predicate with other approvals, another outcome and another threshold."""
    document = copy.deepcopy(predicate()) | {"approvals": list(approvals)}
    document["verdict"]["outcome"] = outcome
    document["verdict"]["thresholds"][0] |= threshold
    return document


APPROVAL = EXCEPTION | {"thresholds": ["k_anonymity ≥ 2"]}
MISSED = {"value": None, "is_met": False}
NOT_ALL_MET = "without every blocking threshold being met"


@pytest.mark.parametrize(("document", "said"), [
    (verdict(limit=5.5, value=5), "is not to be told"),
    (verdict(**MISSED), NOT_ALL_MET),
    (changed(("verdict", "thresholds"), []), NOT_ALL_MET),
    (verdict(**MISSED, is_warning=True), NOT_ALL_MET),
    (verdict("passed_by_exception", **MISSED), "contradict each other"),
    (verdict("passed_by_exception", [APPROVAL], value=5, is_met=False), "is not to be told"),
])  # fmt: skip
def test_a_verdict_that_contradicts_its_figures_is_not_written(document, said):
    """A limit that holds in words and is missed in figures; and a pass is a pass of all that can block."""
    with pytest.raises(InternalError, match=said):
        statement_bytes(SUBJECTS, document)


def test_what_passed_may_miss_a_warning_or_what_was_excepted():
    """A threshold that only warns is none that blocks, and an exception is named."""
    thresholds = predicate()["verdict"]["thresholds"]
    soft = thresholds[0] | MISSED | {"is_warning": True}
    assert statement_bytes(SUBJECTS, changed(("verdict", "thresholds"), [*thresholds, soft]))
    assert statement_bytes(SUBJECTS, verdict("passed_by_exception", [APPROVAL], **MISSED))


def first_statement(**changes: object) -> bytes:
    """Return a statement of the first form, as it was signed before."""
    statement = json.loads(statement_bytes(SUBJECTS, predicate()))
    return canonical_bytes(
        statement | {"predicateType": "urn:qidguard:release:v1", "predicate": first_predicate() | changes}
    )


def test_a_statement_of_the_first_form_is_still_read():
    """It named every figure; what contradicts itself is refused as it was."""
    assert read_statement(first_statement())["predicate"] == first_predicate()
    lists = first_predicate()["transformations"] + [5]
    with pytest.raises(EvidenceFault, match=r"predicate\.transformations\[2\] is no technique"):
        read_statement(first_statement(transformations=lists))
    lies = copy.deepcopy(first_predicate())["verdict"]
    lies["thresholds"][0]["value"] = 1
    with pytest.raises(EvidenceFault, match="contradicts its own figures"):
        read_statement(first_statement(verdict=lies))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "a\\b", "a\nb", "x" * 256])
def test_a_subject_is_a_file_of_the_folder(name):
    """No path leads out of it."""
    with pytest.raises(InternalError, match=r"subject\[0\].name"):
        statement_bytes({name: "1" * 64}, predicate())


@pytest.mark.parametrize("changes", [
    {"_type": "https://in-toto.io/Statement/v0.1"},
    {"predicateType": "urn:qidguard:release:v4"},
    {"predicateType": "urn:qidguard:release:v1"},
    {"subject": [{"name": "a", "digest": {"sha256": "1" * 64}}] * 2},
    {"subject": [{"name": "a", "digest": {"sha512": "1" * 64}}]},
    {"subject": [{"name": "a", "digest": {"sha256": "1" * 64}, "uri": "x"}]},
    {"subject": {}},
    {"predicate": []},
    {"more": 1},
])  # fmt: skip
def test_statements_of_other_forms_are_refused(changes):
    """Other versions, a file named twice, other digests, more than was agreed."""
    statement = json.loads(statement_bytes(SUBJECTS, predicate()))
    with pytest.raises(EvidenceFault):
        read_statement(canonical_bytes(statement | changes))


def test_no_error_repeats_a_value():
    """A value that slipped in does not slip out through the sentence that refuses it."""
    for path in (
        ("information_loss", "Zanzibar-7f"),
        ("information_loss", "x"),
        ("transformations", 1, "Zanzibar-7f"),
        ("Zanzibar-7f",),
        ("ledger",),
    ):
        with pytest.raises(InternalError) as error:
            statement_bytes(SUBJECTS, changed(path, "Zanzibar-7f"))
        assert "Zanzibar" not in str(error.value)
