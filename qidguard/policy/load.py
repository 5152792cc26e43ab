"""Policies from files, texts and mappings; what is wrong with one becomes a sentence with its remedy."""

import re
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from qidguard.core.errors import PolicyError
from qidguard.core.naming import did_you_mean
from qidguard.core.system import open_plain, why
from qidguard.policy.document import read_document
from qidguard.policy.model import Policy
from qidguard.policy.origin import Complaint, FieldPath, Origin, path_text
from qidguard.policy.section import shown


def complaints_of(model: type[BaseModel], errors: Iterable[ErrorDetails]) -> Iterator[Complaint]:
    """Return one complaint for each of pydantic's errors.

    Example:
        >>> from qidguard.policy.threshold import Threshold
        >>> error = {
        ...     "type": "missing",
        ...     "loc": ("metric",),
        ...     "msg": "",
        ...     "input": {},
        ... }
        >>> next(complaints_of(Threshold, [error])).sentence
        "the policy lacks 'metric', which is required; write for example metric: k_anonymity"
    """
    return (_complaint(model, error) for error in errors)


def _complaint(model: type[BaseModel], error: ErrorDetails) -> Complaint:
    path: FieldPath = error["loc"]
    if error["type"] == "missing":
        parent = path_text(path[:-1]) or "the policy"
        sentence = f"{parent} lacks {path[-1]!r}, which is required"
        return Complaint(path=path, sentence=_with(sentence, _example(model, path)))
    if error["type"] == "extra_forbidden":
        section = _section(model, path[:-1])
        hint = did_you_mean(str(path[-1]), section.model_fields) if section else ""
        known = hint or "see the JSON Schema of policies for the fields there are"
        return Complaint(path=path, sentence=f"there is no field {path_text(path)}; {known}")
    context = error["ctx"] if error["type"] == "refused" else _in_our_words(error)
    if context.get("at") is not None:
        path = (*path, context["at"])
    sentence = f"{path_text(path) or 'the policy'} {context['sentence']}"
    return Complaint(path=path, sentence=_with(sentence, context.get("remedy") or _example(model, path)))


_SENTENCES = {
    "string_type": "must be text, not {value}",
    "string_too_short": "must not be empty",
    "bool_type": "must be true or false, not {value}",
    "date_type": "must be a date, not {value}",
    "literal_error": "must be {expected}, not {value}",
    "enum": "must be {expected}, not {value}",
    "greater_than": "must be above {gt}, not {value}",
    "less_than_equal": "must be at most {le}, not {value}",
}
"""Kind of pydantic's errors → what is said in its place."""


def _in_our_words(error: ErrorDetails) -> Mapping[str, Any]:
    """Return the sentence and the remedy that stand in the place of one of pydantic's errors."""
    given, context = error["input"], error.get("ctx", {})
    expected = str(context.get("expected", ""))
    remedy = ""
    if error["type"] == "string_type" and not (given is None or isinstance(given, (list, tuple, Mapping))):
        remedy = f"put it in quotes: '{shown(given)}'"
    if expected and isinstance(given, str):
        remedy = did_you_mean(given, re.findall("'(.*?)'", expected), is_listed=error["type"] == "enum")
    sentence = _SENTENCES.get(error["type"], "is not valid")
    told = context | {"value": shown(given), "expected": expected.replace("'", "")}
    return {"sentence": sentence.format_map(told), "remedy": remedy}


def _with(sentence: str, remedy: str) -> str:
    return f"{sentence}; {remedy}" if remedy else sentence


def _example(model: type[BaseModel], path: FieldPath) -> str:
    """Return ``write for example …`` for the field that ``path`` leads to, or the one around it."""
    section: type[BaseModel] | None = model
    found = ""
    for part in path:
        if isinstance(part, int):
            continue
        if section is None or part not in section.model_fields:
            break
        field = section.model_fields[part]
        found = f"write for example {part}: {_written(field.examples[0])}" if field.examples else ""
        section = next(_models(field.annotation), None)
    return found


def _section(model: type[BaseModel], path: FieldPath) -> type[BaseModel] | None:
    """Return the section that ``path`` leads to."""
    section: type[BaseModel] | None = model
    for part in path:
        if isinstance(part, str) and section is not None:
            field = section.model_fields.get(part)
            section = next(_models(field.annotation), None) if field else None
    return section


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _written(example: object) -> str:
    """Return one of our own examples as YAML writes it."""
    if isinstance(example, list):
        return f"[{', '.join(map(_written, example))}]"
    if isinstance(example, dict):
        return "{" + ", ".join(f"{key}: {_written(value)}" for key, value in example.items()) + "}"
    if isinstance(example, bool):
        return str(example).lower()
    if isinstance(example, str) and not any(character.isalnum() for character in example):
        return f"'{example}'"
    return str(example)


LARGEST_BYTES = 1_000_000
"""A file larger than this is not a policy; probably it is the table."""


def load_policy(source: "str | PathLike[str] | Mapping[str, Any] | Policy") -> Policy:
    """Return the policy in a YAML file or a mapping, checked in itself.

    Args:
        source: A path, a mapping with the fields of a policy, or a policy, which is returned as it is.

    Returns:
        The policy. Whether it fits a table is for the audit to say.

    Units:
        Lines in errors are counted from 1.

    Raises:
        PolicyError: when the file cannot be read, is not YAML, or breaks a rule; each fault on a line.

    Example:
        >>> policy = load_policy(
        ...     {
        ...         "qidguard": 1,
        ...         "name": "demo",
        ...         "roles": {"quasi_identifiers": ["age", "sex"]},
        ...         "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
        ...     }
        ... )
        >>> policy.thresholds[0].text
        'k_anonymity ≥ 5'
    """
    if isinstance(source, Policy):
        return source
    if isinstance(source, Mapping):
        return _validated(source, Origin())
    if not isinstance(source, (str, PathLike)):
        raise PolicyError(f"a policy is a path, a mapping or a Policy, not {type(source).__name__}")
    name = str(source)
    if "\n" in name:
        raise PolicyError("a policy is given by its path, not by its text; use parse_policy for text")
    return parse_policy(_text_of(Path(name), name), name)


def parse_policy(text: str, name: str = "policy") -> Policy:
    """Return the policy in a YAML text, checked in itself.

    Example:
        >>> parse_policy("- a list", "policy.yaml")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.PolicyError: policy.yaml line 1: a policy is a mapping that begins with \
qidguard: 1, not a list; write one with: qidguard policy init DATA > policy.yaml
    """
    value, origin = read_document(text, name)
    remedy = "write one with: qidguard policy init DATA > policy.yaml"
    if value is None:
        raise PolicyError(f"{name}: the policy is empty; {remedy}")
    if not isinstance(value, Mapping):
        # the value itself is not repeated: it may be the table, given in the policy's place
        kind = shown(value) if isinstance(value, list) else "a single value"
        raise PolicyError(
            f"{origin.where(())}: a policy is a mapping that begins with qidguard: 1, not {kind}; {remedy}"
        )
    return _validated(value, origin)


def _validated(values: Mapping[str, Any], origin: Origin) -> Policy:
    try:
        return Policy.model_validate(values, context={"origin": origin})
    except ValidationError as error:
        complaints = list(complaints_of(Policy, error.errors(include_url=False)))
    raise origin.error(complaints)


def _text_of(path: Path, name: str) -> str:
    try:
        with open_plain(path) as file:
            content = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        raise PolicyError(
            f"{name}: there is no such policy file; check the path, or write one with: "
            "qidguard policy init DATA > policy.yaml"
        ) from None
    except IsADirectoryError:
        raise PolicyError(
            f"{name}: this is a folder, and a policy is one YAML file in it; name that"
        ) from None
    except (OSError, ValueError) as error:
        raise PolicyError(
            f"{name}: the policy cannot be read ({why(error)}); check its name and rights"
        ) from None
    if len(content) > LARGEST_BYTES:
        raise PolicyError(f"{name}: this is larger than a policy may be (1 MB); is it the table?")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise PolicyError(f"{name}: this is not UTF-8 text; a policy is a YAML file saved as UTF-8")
    return text


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
