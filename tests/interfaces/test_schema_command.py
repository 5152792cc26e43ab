import json

import pytest
from jsonschema import Draft202012Validator


@pytest.mark.slow
def test_an_audits_json_satisfies_the_printed_schema(run, table, write_policy):
    """What a user gets from `schema audit` accepts what they get from `audit --format json`."""
    code, schema, _ = run("schema", "audit")
    assert code == 0
    validator = Draft202012Validator(json.loads(schema))
    for extra in ((), ("--policy", write_policy(5))):
        validator.validate(json.loads(run("audit", table, "--format", "json", *extra)[1]))


def test_another_document_has_no_schema(run):
    """Exit 2, and the choices."""
    code, _, err = run("schema", "nonsense")
    assert code == 2
    assert "audit" in err
