import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from example_report import blocked, described, passed, threshold
from qidguard.core.verdict import Bound, judge
from qidguard.policy.fields import PolicyFields
from qidguard.rendering import audit_document
from qidguard.rendering.audit_document import AuditDocument, BlockDocument
from qidguard.rendering.document import document, json_text

SNAPSHOT = Path(__file__).parent / "snapshots" / "blocked.json"


def strict(text: str):
    """Parse JSON that must hold no bare infinity or NaN."""

    def refuse(token: str) -> None:
        pytest.fail(f"bare {token}")

    return json.loads(text, parse_constant=refuse)


def test_the_document_is_the_reviewed_snapshot():
    """A change of the document shows in a review; delete no field without a new version."""
    assert json_text(blocked()) == SNAPSHOT.read_text(encoding="utf-8")


@pytest.mark.parametrize("made", [
    lambda: BlockDocument(rule=["Zanzibar"], sentence="", is_internal=False),
    lambda: PolicyFields(qidguard=["Zanzibar"]),
])  # fmt: skip
def test_what_a_model_refuses_is_not_shown(made):
    """An error that only a fault of the code can cause repeats no value either."""
    with pytest.raises(ValidationError) as raised:
        made()
    assert "Zanzibar" not in str(raised.value)


def test_the_published_schema_is_the_generated_one():
    """The file in the package is what the models say, two spaces a level; rewrite it with this text."""
    published = Path(audit_document.__file__).parent / "audit-1.schema.json"
    text = json.dumps(AuditDocument.model_json_schema(), indent=2) + "\n"
    assert published.read_text(encoding="utf-8") == text


def test_the_schema_is_a_schema():
    """The published schema is valid under draft 2020-12."""
    Draft202012Validator.check_schema(AuditDocument.model_json_schema())


@pytest.mark.parametrize("make", [passed, blocked, described])
def test_documents_satisfy_the_schema(make):
    """Every kind of report gives a document that the schema accepts."""
    Draft202012Validator(AuditDocument.model_json_schema()).validate(strict(json_text(make())))


def test_hostile_names_come_back_as_they_were(hostile):
    """Names survive the way through ASCII JSON, and the schema still accepts the document."""
    parsed = strict(json_text(hostile))
    assert json_text(hostile).isascii()
    assert [c["name"] for c in parsed["columns"]] == [c.facts.name for c in hostile.columns]
    Draft202012Validator(AuditDocument.model_json_schema()).validate(parsed)


@pytest.mark.parametrize("path", ["outcome", "columns"])
def test_the_schema_rejects_a_document_that_lacks_a_field(path):
    """Every field is required."""
    lacking = document(passed())
    del lacking[path]
    assert not Draft202012Validator(AuditDocument.model_json_schema()).is_valid(lacking)


@pytest.mark.parametrize(("value", "reason"), [
    (math.inf, "infinite"),
    (-math.inf, "minus infinite"),
    (math.nan, "not a number"),
    (None, "not measured"),
])  # fmt: skip
def test_what_json_has_no_number_for_is_null_with_a_reason(value, reason):
    """Infinity, NaN and no figure are null, each with words; the distance is null too."""
    report = replace(passed(), verdict=judge([threshold("beta", value, Bound.AT_MOST, 2, unit="ratio")]))
    found = strict(json_text(report))["thresholds"][0]
    assert (found["value"], found["distance"], found["reason"]) == (None, None, reason)
    Draft202012Validator(AuditDocument.model_json_schema()).validate(document(report))


def test_what_is_not_declared_cannot_be_written():
    """A part takes no other field, none that is outside its limits, and no second value."""
    block = BlockDocument(rule="r", sentence="s", is_internal=False)
    for surplus in ({"value": "x"}, {"rule": 5}):
        with pytest.raises(ValidationError):
            BlockDocument(**{**dict(block), **surplus})
    with pytest.raises(ValidationError):
        block.rule = "other"


def test_a_plugins_fault_is_marked():
    """A figure that a plugin failed to give is a fault, and the exit code says so."""
    result = threshold("k", None, Bound.AT_LEAST, 2, reason="plugin x 1.0 failed")
    result = replace(result, measurement=replace(result.measurement, is_fault=True))
    found = document(replace(passed(), verdict=judge([result])))
    assert (found["thresholds"][0]["is_fault"], found["exit_code"]) == (True, 3)


def test_versions_are_sorted_whatever_their_order():
    """Equal reports give equal texts."""
    one = replace(passed(), versions={"b": "1", "a": "2"})
    other = replace(passed(), versions={"a": "2", "b": "1"})
    assert json_text(one) == json_text(other)
