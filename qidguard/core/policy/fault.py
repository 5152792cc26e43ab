"""From what pydantic found wrong with a policy to sentences that name the field, the value and the remedy."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from qidguard.core.policy.origin import Complaint, Path, path_text
from qidguard.core.policy.spelling import did_you_mean


def complaints_of(model: type[BaseModel], errors: Iterable[ErrorDetails]) -> Iterator[Complaint]:
    """Return one complaint for each of pydantic's errors.

    Args:
        model: The section that was validated.
        errors: As ``ValidationError.errors()`` gives them.

    Returns:
        Complaints in the order of the errors.

    Units:
        None.

    Raises:
        KeyError: when an error lacks what pydantic always says.

    Example:
        >>> from qidguard.core.policy.threshold import Threshold
        >>> error = {
        ...     "type": "missing",
        ...     "loc": ("metric",),
        ...     "msg": "",
        ...     "input": {},
        ... }
        >>> next(complaints_of(Threshold, [error])).sentence
        "the policy lacks 'metric', which is required; write for example metric: k_anonymity"
    """
    for error in errors:
        yield _complaint(model, error)


def _complaint(model: type[BaseModel], error: ErrorDetails) -> Complaint:
    path: Path = error["loc"]
    if error["type"] == "missing":
        parent = path_text(path[:-1]) or "the policy"
        sentence = f"{parent} lacks {path[-1]!r}, which is required"
        return Complaint(path=path, sentence=_with(sentence, _example(model, path)))
    if error["type"] == "extra_forbidden":
        section = _section(model, path[:-1])
        hint = did_you_mean(str(path[-1]), section.model_fields) if section else ""
        known = hint or "see the JSON Schema of policies for the fields there are"
        return Complaint(path=path, sentence=f"there is no field {path_text(path)}; {known}")
    context: Mapping[str, Any] = error.get("ctx", {})
    if context.get("at") is not None:
        path = (*path, context["at"])
    sentence = f"{path_text(path) or 'the policy'} {context.get('sentence', 'is not valid')}"
    return Complaint(path=path, sentence=_with(sentence, context.get("remedy") or _example(model, path)))


def _with(sentence: str, remedy: str) -> str:
    return f"{sentence}; {remedy}" if remedy else sentence


def _example(model: type[BaseModel], path: Path) -> str:
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


def _section(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
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
