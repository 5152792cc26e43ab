"""The ``kinds`` and ``order`` sections: what the values of columns are, and their order, as a person says."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from qidguard.core.kind import ColumnKind
from qidguard.policy.section import entries, refusal, shown
from qidguard.policy.spelling import did_you_mean

WORDS = tuple(kind.value for kind in ColumnKind)


def _kinds(value: object) -> Mapping[str, ColumnKind]:
    kinds = {}
    for column, given in entries(value, "columns").items():
        if given not in WORDS:
            hint = did_you_mean(given, WORDS) if isinstance(given, str) else ""
            listed = ", ".join(WORDS[:-1]) + f" or {WORDS[-1]}"
            raise refusal(f"must be {listed}, not {shown(given)}", remedy=hint, at=column)
        kinds[column] = ColumnKind(str(given))
    return MappingProxyType(kinds)


_LEAST = 2


def _order(value: object) -> Mapping[str, tuple[str, ...]]:
    order = {}
    for column, given in entries(value, "columns").items():
        if not isinstance(given, (list, tuple)) or len(given) < _LEAST:
            raise refusal("must list at least two values, from the first to the last", at=column)
        for position, one in enumerate(given):
            if not isinstance(one, str):
                raise refusal(f"lists {shown(one)}, which is not text", remedy="put it in quotes", at=column)
            if one in given[:position]:
                raise refusal(f"lists {shown(one)} twice", remedy="keep one of them", at=column)
        order[column] = tuple(given)
    return MappingProxyType(order)


KindByColumn = Annotated[
    Mapping[str, ColumnKind],
    PlainValidator(_kinds),
    PlainSerializer(lambda kinds: {c: kind.value for c, kind in kinds.items()}, return_type=dict[str, str]),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string", "enum": list(WORDS)}}),
]

_VALUES = {"type": "array", "items": {"type": "string"}, "minItems": _LEAST, "uniqueItems": True}
OrderByColumn = Annotated[
    Mapping[str, tuple[str, ...]],
    PlainValidator(_order),
    PlainSerializer(dict, return_type=dict[str, tuple[str, ...]]),
    WithJsonSchema({"type": "object", "additionalProperties": _VALUES}),
]
