"""The ``exceptions`` section: who may let a blocked release through, known by which public key."""

import base64
import binascii
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from qidguard.policy.section import Section, refusal, shown
from qidguard.policy.values import UNIQUE, Listed, Phrase, once, whole_number

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


PublicKey = Annotated[str, Field(pattern=_PATTERN), BeforeValidator(public_key)]
_ONCE = AfterValidator(partial(once, "names the same key twice"))
PublicKeys = Annotated[tuple[PublicKey, ...], Field(fail_fast=True, json_schema_extra=UNIQUE), Listed, _ONCE]


LONGEST_DAYS = 366
"""What outlives a year is no exception: it belongs into the policy."""


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
    longest_days: Annotated[int, Field(ge=1, le=LONGEST_DAYS), BeforeValidator(whole_number)] = Field(
        default=30, description="The longest life of an exception, in days.", examples=[30]
    )
