"""``qidguard schema``: our documents, those of plugins, and those whose plugin is not there."""

import json

import pytest
from jsonschema import Draft202012Validator

import qidguard
from qidguard.sdk import Command, hookimpl


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


@pytest.fixture
def offered():
    """Return a function that registers a command whose document has a schema as given."""

    def offer(function):
        class Bringing:
            @staticmethod
            @hookimpl
            def qidguard_commands():
                return [
                    Command(name="bring", title="Bring.", make=lambda: None, schemas={"brought": function})
                ]

        qidguard.register(Bringing)

    yield offer
    qidguard.unregister("Bringing")


def test_the_schema_of_a_plugins_document_is_printed_and_listed(run, offered):
    """It stands beside ours in the help."""
    offered(lambda: '{"type": "object"}\n')
    assert run("schema", "brought") == (0, '{"type": "object"}\n', "")
    assert "{audit|brought|comparison|discovery|policy" in run("schema", "--help")[1].replace("\n", "")


@pytest.mark.parametrize("function", [lambda: 1, lambda: 1 / 0])
def test_a_schema_that_fails_is_the_plugins_fault(run, offered, function):
    """What is no text, or raises, is exit 3, and names the plugin."""
    offered(function)
    code, out, err = run("schema", "brought")
    assert (code, out) == (3, "")
    assert "plugin 'Bringing'" in err
