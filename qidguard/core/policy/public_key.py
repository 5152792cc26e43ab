"""Public keys as they stand in a policy. No sentence repeats one: a secret key may stand in its place."""

import base64
import binascii
from typing import Annotated

from pydantic import Field, PlainValidator
from pydantic_core import PydanticCustomError

from qidguard.core.policy.refusal import refusal, shown
from qidguard.core.policy.values import AS_IT_IS

PREFIX = "ed25519:"
EXAMPLE = "ed25519:hZXH/cJEmrIIwiPf9TpRF5kcSJAS0bzkEZEMAtfbUWY="
"""Nobody holds its secret key: it is the SHA-256 of "An example of a public key, number 1", and no point."""

_BYTES = 32
_PATTERN = r"^ed25519:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$"
_REMEDY = "write it as qidguard keys new prints it"

_PRIME = 2**255 - 19
_ORDER_EIGHT = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER = {0, 1, _PRIME - 1, _PRIME, _PRIME + 1, _ORDER_EIGHT, _PRIME - _ORDER_EIGHT}
"""The y of the points whose order divides 8, in every way to write them (RFC 8032, section 5.1)."""


def public_key(value: object) -> str:
    """Return the text of an Ed25519 public key.

    Args:
        value: Anything that a policy held.

    Returns:
        ``ed25519:`` and the canonical base64 of 32 bytes.

    Units:
        None; text.

    Raises:
        PydanticCustomError: when it is anything else, or a point of small order, under which anybody can
            make signatures (a key of zeros is one).

    Example:
        >>> public_key(EXAMPLE) == EXAMPLE
        True
    """
    if not isinstance(value, str):
        raise refusal(f"must be the text of a public key, not {shown(value)}", remedy=_REMEDY)
    written = value.removeprefix(PREFIX)
    try:
        content = base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if value != PREFIX + base64.b64encode(content).decode() or len(content) != _BYTES:
        raise refusal("must be a public key: ed25519: and the base64 of 32 bytes", remedy=_REMEDY)
    # the highest bit is the sign of x
    if int.from_bytes(content, "little") & ~(1 << 255) in _SMALL_ORDER:
        raise refusal("is no public key of a person, since anybody can sign under it", remedy=_REMEDY)
    return value


def _public_keys(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise refusal(f"must be a list, not {shown(value)}")
    keys: list[str] = []
    for position, item in enumerate(value):
        try:
            key = public_key(item)
        except PydanticCustomError as error:
            context = error.context or {}
            raise refusal(error.message(), remedy=context["remedy"], at=position) from None
        if key in keys:
            raise refusal("names the same key twice", remedy="keep one of them", at=position)
        keys.append(key)
    return tuple(keys)


_Text = Annotated[str, Field(pattern=_PATTERN)]
PublicKey = Annotated[str, PlainValidator(public_key, json_schema_input_type=_Text)]
PublicKeys = Annotated[
    tuple[str, ...],
    PlainValidator(
        _public_keys,
        json_schema_input_type=Annotated[list[_Text], Field(json_schema_extra={"uniqueItems": True})],
    ),
    AS_IT_IS,
]
