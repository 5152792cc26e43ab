"""The ``exceptions`` section: who may let a blocked release through, known by which public key."""

import base64
import binascii
from typing import Annotated

from pydantic import Field, PlainValidator
from pydantic_core import PydanticCustomError

from qidguard.policy.section import Section, refusal, shown
from qidguard.policy.values import AS_IT_IS, Listed, Phrase, whole_number

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
    """Return the text of an Ed25519 public key."""
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


LONGEST_DAYS = 366
"""What outlives a year is no exception: it belongs into the policy."""


def _days(value: object) -> int:
    days = whole_number(value)
    if days > LONGEST_DAYS:
        raise refusal(f"must be at most {LONGEST_DAYS}, not {shown(value)}")
    return days


Days = Annotated[
    int,
    PlainValidator(_days, json_schema_input_type=Annotated[int, Field(ge=1, le=LONGEST_DAYS)]),
]


class Approver(Section):
    """A person who may approve an exception, known by a key.

    Example:
        >>> from qidguard.policy.exceptions import EXAMPLE
        >>> Approver(name="A. Roe, privacy officer", key=EXAMPLE).name
        'A. Roe, privacy officer'
    """

    name: Phrase = Field(description="Who it is.", examples=["A. Roe, privacy officer"])
    key: PublicKey = Field(description="The public key that the person signs with.", examples=[EXAMPLE])


class Exceptions(Section):
    """Who may approve exceptions; without an approver there are none.

    Example:
        >>> Exceptions().approvers, Exceptions().longest_days
        ((), 30)
    """

    approvers: Annotated[tuple[Approver, ...], Listed] = Field(
        default=(), description="The persons who may let a blocked release through."
    )
    longest_days: Days = Field(
        default=30, description="The longest life of an exception, in days.", examples=[30]
    )
