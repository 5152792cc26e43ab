"""The ``order`` section: the values of columns of texts from the first to the last."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from qidguard.policy.section import refusal, shown

_LEAST = 2


def _order(value: object) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, Mapping):
        raise refusal(f"must be a mapping of columns, not {shown(value)}")
    for column, values in value.items():
        if not isinstance(column, str):
            raise refusal(f"has the key {shown(column)}, which is not text")
        if not isinstance(values, (list, tuple)) or len(values) < _LEAST:
            raise refusal("must be a list of at least two values, from the first to the last", at=column)
        for position, one in enumerate(values):
            if not isinstance(one, str):
                remedy = "put it in quotes"
                raise refusal(f"lists {shown(one)}, which is not text", remedy=remedy, at=column)
            if one in values[:position]:
                raise refusal(f"lists {shown(one)} twice", remedy="keep one of them", at=column)
    return MappingProxyType({column: tuple(values) for column, values in value.items()})


def _as_written(value: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {column: list(values) for column, values in value.items()}


_Values = {"type": "array", "items": {"type": "string"}, "minItems": _LEAST, "uniqueItems": True}

OrderByColumn = Annotated[
    Mapping[str, tuple[str, ...]],
    PlainValidator(_order),
    PlainSerializer(_as_written, return_type=dict[str, list[str]]),
    WithJsonSchema({"type": "object", "additionalProperties": _Values}),
]
