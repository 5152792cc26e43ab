"""The JSON Schema of policies, for editors."""

from typing import Any

from qidguard.policy.model import Policy

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a policy; the same one at every call.

    It says what each field may hold. What fields must be to each other, such as a column in two roles, only
    ``load_policy`` checks.

    Example:
        >>> policy_schema()["required"]
        ['qidguard', 'name', 'roles']
    """
    schema = Policy.model_json_schema(mode="validation")
    for section in (schema, *schema["$defs"].values()):
        # the docstrings go on with examples in Python, which are no help in an editor
        section["description"] = section["description"].split("\n\n")[0]
        _allow_empty(section)
    return {"$schema": DIALECT, **schema, "title": "qidguard policy"}


def _allow_empty(section: dict[str, Any]) -> None:
    """Let fields that need not be written stand without a value, as the loader does."""
    required = section.get("required", [])
    for name, field in section["properties"].items():
        if name in required:
            continue
        kept = {
            key: field.pop(key) for key in ("description", "examples", "default", "title") if key in field
        }
        alternatives = field["anyOf"] if set(field) == {"anyOf"} else [dict(field)]
        if {"type": "null"} not in alternatives:
            alternatives.append({"type": "null"})
        section["properties"][name] = {**kept, "anyOf": alternatives}
