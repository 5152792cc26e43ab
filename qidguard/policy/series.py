"""The ``series`` section: what is known of who comes and leaves between the releases of a data set."""

from collections.abc import Iterator
from typing import Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from qidguard.policy.section import Section, refusal
from qidguard.policy.values import Phrase

_COLUMNS = ("left_on", "came_on", "exit_on")


def _given(field: str) -> dict[str, JsonValue]:
    return {"required": [field], "properties": {field: {"type": "string"}}}


class Series(Section):
    """Columns that tell when persons came and leave, and where the last values of leavers are kept.

    Example:
        >>> Series(left_on="left", came_on="admitted").columns
        ('left', 'admitted')
    """

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [_given(field) for field in (*_COLUMNS, "state")],
            "not": {"allOf": [_given("left_on"), _given("state")]},
        }
    )

    left_on: str | None = Field(
        default=None,
        description="The column with the day on which a person left, empty while the person is present; the"
        " table keeps the last record of who left. Never published.",
        examples=["left_on"],
    )
    came_on: str | None = Field(
        default=None,
        description="The column with the day on which a person came, which tells who waits since when. Never"
        " published.",
        examples=["admitted_on"],
    )
    exit_on: str | None = Field(
        default=None,
        description="The column with the day or month in which a person will leave, empty where it is not"
        " known. Never published.",
        examples=["contract_ends"],
    )
    state: Phrase | None = Field(
        default=None,
        description="In the place of left_on: a private folder, relative to this file, in which each release"
        " keeps the last values of the persons that it shows, so that the table need not keep leavers.",
        examples=["../private/series"],
    )

    erased: Phrase | None = Field(
        default=None,
        description="Beside state: a file with a person's entity value on each line, relative to this one; of"
        " whom it names no last values are used or kept any more, so that they go at once.",
        examples=["../private/erased.txt"],
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.left_on is not None and self.state is not None:
            raise refusal(
                "has both left_on and state",
                remedy="keep left_on if the table keeps who left, and state if it does not",
            )
        if self.state is not None and "://" in self.state:
            raise refusal("must be a folder of this machine", remedy="write its path", at="state")
        if self.erased is not None and self.state is None:
            raise refusal("has erased without state", remedy="remove these persons from the table")
        if not (self.columns or self.state):
            raise refusal("says nothing", remedy="write left_on or state, or leave series out")
        for at, (field, column) in enumerate(self.places()):
            if column in self.columns[:at]:
                raise refusal(f"names the column {column!r} twice", remedy="name another one", at=field)
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names; none of them is ever published."""
        return tuple(column for _, column in self.places())

    def places(self) -> Iterator[tuple[str, str]]:
        """Yield field and column, for each field that names one."""
        for field in _COLUMNS:
            column = getattr(self, field)
            if column is not None:
                yield field, column
