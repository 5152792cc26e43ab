"""The ``undoing`` section: what becomes of columns that tell a generalized value of some persons only."""

from typing import Annotated, Literal

from pydantic import Field, PlainValidator

from qidguard.policy.section import Section, choice

Some = Annotated[
    Literal["note", "block"],
    PlainValidator(choice("note", "block"), json_schema_input_type=Literal["note", "block"]),
]


class Telling(Section):
    """How strict the search for columns that undo a generalization is.

    Example:
        >>> Telling(some="block").some, Telling().some
        ('block', 'note')
    """

    some: Some = Field(
        default="note",
        description="What columns tell of some persons only is a note; or their candidates are counted, and a"
        " k_anonymity limit that these miss blocks, as does whatever could not be examined. What is known of"
        " some to whoever knows their quasi-identifiers always counts.",
        examples=["block"],
    )
