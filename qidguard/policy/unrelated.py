"""Names of data sets, and what a policy says of those whose releases are of other people."""

import re
from typing import Annotated, Literal

from pydantic import Field, PlainValidator

from qidguard.policy.accepted import in_words
from qidguard.policy.section import Section, choice, refusal, shown

_NAME = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"


def _data_set(value: object) -> str:
    if not isinstance(value, str) or re.fullmatch(_NAME, value) is None:
        raise refusal(
            "must be a name of at most 100 letters, digits, dots, hyphens and underscores that begins with a"
            f" letter, a digit or an underscore, not {shown(value)}"
        )
    return value


DataSet = Annotated[
    str,
    PlainValidator(_data_set, json_schema_input_type=Annotated[str, Field(pattern=f"^{_NAME}$")]),
]
_EXAMPLE = "persons of another hospital"
Why = Annotated[
    str,
    PlainValidator(
        lambda value: in_words(value, _EXAMPLE),
        json_schema_input_type=Annotated[str, Field(min_length=4)],
    ),
]
EarlierReleases = Annotated[
    Literal["judged", "unrelated"],
    PlainValidator(choice("judged", "unrelated"), json_schema_input_type=Literal["judged", "unrelated"]),
]


class Unrelated(Section):
    """A data set whose releases are not held against this one, and why.

    Example:
        >>> Unrelated(data_set="ward2", reason="persons of another hospital").data_set
        'ward2'
    """

    data_set: DataSet = Field(description="The data set; case does not matter.", examples=["ward2"])
    reason: Why = Field(
        description="Why its releases are of other people, or why what they reveal together is accepted, in"
        " words.",
        examples=[_EXAMPLE],
    )
