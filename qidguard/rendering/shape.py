"""Pieces of a JSON Schema."""

from typing import Any

Shape = dict[str, Any]


def an_object(description: str, properties: Shape) -> Shape:
    """Return an object that has all of these fields and no other."""
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def a_text(description: str) -> Shape:
    """Return a text."""
    return {"type": "string", "description": description}


def a_flag(description: str) -> Shape:
    """Return true or false."""
    return {"type": "boolean", "description": description}


def a_count(description: str) -> Shape:
    """Return a whole number from 0 on."""
    return {"type": "integer", "minimum": 0, "description": description}


def a_number(description: str, **limits: float) -> Shape:
    """Return a number within its limits."""
    return {"type": "number", **limits, "description": description}


def one_of(values: list[str], description: str) -> Shape:
    """Return one of some texts."""
    return {"enum": values, "description": description}


def a_list(items: Shape, description: str) -> Shape:
    """Return a list of one shape."""
    return {"type": "array", "items": items, "description": description}


def nullable(shape: Shape) -> Shape:
    """Return a shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}
