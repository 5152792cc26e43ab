"""The ``kinds`` section: what the values of columns are, as a person states it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from qidguard.core.kind import ColumnKind
from qidguard.policy.section import refusal, shown
from qidguard.policy.spelling import did_you_mean

WORDS = tuple(kind.value for kind in ColumnKind)


def _kinds(value: object) -> Mapping[str, ColumnKind]:
    if not isinstance(value, Mapping):
        raise refusal(f"must be a mapping of columns, not {shown(value)}")
    for column, given in value.items():
        if not isinstance(column, str):
            raise refusal(f"has the key {shown(column)}, which is not text")
        if given not in WORDS:
            hint = did_you_mean(given, WORDS) if isinstance(given, str) else ""
            listed = ", ".join(WORDS[:-1]) + f" or {WORDS[-1]}"
            raise refusal(f"must be {listed}, not {shown(given)}", remedy=hint, at=column)
    return MappingProxyType({column: ColumnKind(given) for column, given in value.items()})


def _as_written(value: Mapping[str, ColumnKind]) -> dict[str, str]:
    return {column: kind.value for column, kind in value.items()}


KindByColumn = Annotated[
    Mapping[str, ColumnKind],
    PlainValidator(_kinds),
    PlainSerializer(_as_written, return_type=dict[str, str]),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string", "enum": list(WORDS)}}),
]
