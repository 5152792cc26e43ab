"""The ``exceptions`` section: who may let a blocked release through, and for how long."""

from typing import Annotated

from pydantic import Field, PlainValidator

from qidguard.core.policy.public_key import EXAMPLE, PublicKey
from qidguard.core.policy.refusal import refusal, shown
from qidguard.core.policy.section import Section
from qidguard.core.policy.values import Listed, Phrase, whole_number

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
        >>> from qidguard.core.policy.public_key import EXAMPLE
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
