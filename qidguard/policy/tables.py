"""The ``tables`` section: several files of the same persons, and how they hang together."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from qidguard.policy.section import Section, entries, refusal, shown, told
from qidguard.policy.source import ReadingSettings
from qidguard.policy.values import AS_DICT, FROZEN, Columns, Phrase, PhraseByColumn

LARGEST_SHIFT = 3650
"""Days by which the dates of a person may be moved at most."""

USUAL_SHIFT = 182

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_RESERVED = frozenset({"datapackage", "manifest", "attestation"})
"""What stands beside the published files."""

WAYS = (
    "count",
    "distinct",
    "sequence",
    "distinct_sequence",
    "set",
    "first",
    "last",
    "intervals",
    "span",
)
"""How many records a person has, or what the records of a person say of one column."""

OF_DATES = ("intervals", "span")
"""What does not change where all dates of a person are moved alike."""


class PerPerson(Section):
    """One column of the persons' table that is made of the records of another.

    Example:
        >>> PerPerson(sequence="type").way, PerPerson(count=True).column
        ('sequence', None)
    """

    count: bool = Field(default=False, description="The number of records.", examples=[True])
    distinct: str | None = Field(
        default=None, description="The number of distinct values of a column.", examples=["ward"]
    )
    sequence: str | None = Field(
        default=None, description="All values of a column, in order.", examples=["type"]
    )
    distinct_sequence: str | None = Field(
        default=None,
        description="The distinct values of a column, in the order of their first.",
        examples=["type"],
    )
    set: str | None = Field(
        default=None, description="The distinct values of a column, in no order of time.", examples=["code"]
    )
    first: str | None = Field(default=None, description="The value of the first record.", examples=["type"])
    last: str | None = Field(default=None, description="The value of the last record.", examples=["type"])
    intervals: str | None = Field(
        default=None, description="The days between dates that follow each other.", examples=["start"]
    )
    span: str | None = Field(
        default=None, description="The days from the first date to the last.", examples=["start"]
    )

    @property
    def way(self) -> str:
        """The field that says how it is made."""
        return next(way for way in WAYS if getattr(self, way))

    @property
    def column(self) -> str | None:
        """The column of the other table that it is made of; None where records are counted."""
        given = getattr(self, self.way)
        return given if isinstance(given, str) else None

    @model_validator(mode="after")
    def _is_one_way(self) -> Self:
        ways = [way for way in WAYS if getattr(self, way)]
        if len(ways) != 1:
            fault = f"has both {ways[0]} and {ways[1]}" if ways else "does not say what it is made of"
            raise refusal(fault, remedy=f"write one of {', '.join(WAYS)}")
        return self


def _of(section: type[Section], of_what: str) -> Callable[[object], Mapping[str, object]]:
    def checked(value: object) -> Mapping[str, object]:
        value = entries(value, of_what)
        for name, given in value.items():
            if not isinstance(given, (Mapping, section)):
                raise refusal(f"must be a mapping, not {shown(given)}", at=name)
        return value

    return checked


PerPersonByName = Annotated[
    Mapping[str, PerPerson], BeforeValidator(_of(PerPerson, "names")), FROZEN, AS_DICT
]


class LinkedTable(ReadingSettings):
    """One file of a data set of several: where it is, how it is read, and how it hangs on the others.

    Example:
        >>> made = LinkedTable(
        ...     path="e.csv", key="id", references={"patient": "patients"}, insensitive=["ward"]
        ... )
        >>> made.decided
        ('id', 'patient', 'ward')
    """

    path: Phrase | None = Field(
        default=None, description="Where it is; relative to the policy's file.", examples=["encounters.csv"]
    )
    key: str | None = Field(
        default=None, description="The column that tells its records apart.", examples=["encounter_id"]
    )
    references: PhraseByColumn = Field(
        default_factory=lambda: MappingProxyType({}),
        description="Column → the table whose key it holds; the persons' table has none.",
        examples=[{"patient_id": "patients"}],
    )
    order: str | None = Field(
        default=None,
        description="The date or number in whose order a person's records stand.",
        examples=["start"],
    )
    dates: Columns = Field(
        default=(),
        description="The dates that are moved, all of a person by the same days.",
        examples=[["start", "stop"]],
    )
    quasi_identifiers: Columns = Field(
        default=(),
        description="The columns that an attacker may know of a person's records; per_person says how.",
        examples=[["type"]],
    )
    sensitive: Columns = Field(
        default=(), description="The columns that nobody should learn of a person.", examples=[["code"]]
    )
    insensitive: Columns = Field(
        default=(), description="The columns that a person decided to be harmless.", examples=[["ward"]]
    )
    direct_identifiers: Columns = Field(
        default=(),
        description="The columns that name a person by themselves; they are never published.",
        examples=[["physician"]],
    )
    drop: Columns = Field(
        default=(), description="The columns that are never published.", examples=[["remark"]]
    )
    orphans: Literal["block", "drop"] = Field(
        default="block",
        description="What becomes of records that refer to nobody.",
        examples=["drop"],
    )
    per_person: PerPersonByName = Field(
        default_factory=lambda: MappingProxyType({}),
        description="Columns of the persons that are made of these records; the roles say what each is.",
        examples=[{"encounters": {"count": True}, "encounter_types": {"sequence": "type"}}],
    )

    def places(self) -> Iterator[tuple[str, str]]:
        """Return (field, column) for every column that is decided on here, in order."""
        if self.key is not None:
            yield "key", self.key
        yield from (("references", column) for column in self.references)
        for field in ROLE_FIELDS:
            yield from ((field, column) for column in getattr(self, field))

    @property
    def decided(self) -> tuple[str, ...]:
        """Every column that is decided on here, once."""
        return tuple(dict.fromkeys(column for _, column in self.places()))

    @property
    def held_back(self) -> tuple[str, ...]:
        """The columns that are never published."""
        return (*self.direct_identifiers, *self.drop)


ROLE_FIELDS = ("dates", "quasi_identifiers", "sensitive", "insensitive", "direct_identifiers", "drop")
"""The fields that say what becomes of a column; each column stands in one of them."""


def _tables(value: object) -> Mapping[str, object]:
    found = _of(LinkedTable, "tables")(value)
    for name in found:
        if not _NAME.fullmatch(name) or name.lower() in _RESERVED:
            raise refusal(
                f"names a table {shown(name)}, and files are called by it",
                remedy="take letters, digits, dots, hyphens and underscores, and no name of the evidence",
            )
    if found and len({name.lower() for name in found}) < len(found):
        raise refusal("has two names that differ in case only", remedy="rename one of them")
    return found


LinkedTables = Annotated[Mapping[str, LinkedTable], BeforeValidator(_tables), FROZEN, AS_DICT]


ShiftDays = Annotated[
    int,
    Field(ge=1, le=LARGEST_SHIFT),
    told(f"must be a number of days from 1 to {LARGEST_SHIFT}, not {{}}"),
]


def persons_name(tables: Mapping[str, Any]) -> str | None:
    """Return the name of the persons' table, the only one without references; None where there is not one.

    Example:
        >>> persons_name({"p": LinkedTable(), "e": LinkedTable(references={"p": "p"})})
        'p'
    """
    found = [name for name, table in tables.items() if not table.references]
    return found[0] if len(found) == 1 else None


def in_order(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names, each table after those that it refers to; what stands in a circle is left out.

    Example:
        >>> in_order({"e": LinkedTable(references={"p": "p"}), "p": LinkedTable()})
        ('p', 'e')
    """
    done: list[str] = []
    while True:
        ready = [
            name
            for name, table in tables.items()
            if name not in done and all(other in done for other in table.references.values())
        ]
        if not ready:
            return tuple(done)
        done += ready


def is_of_another(tables: Mapping[str, Any], name: str) -> bool:
    """Whether a name is ``table.column`` of one of the tables.

    Example:
        >>> is_of_another({"e": LinkedTable()}, "e.age"), is_of_another({}, "e.age")
        (True, False)
    """
    return any(name.startswith(f"{table}.") for table in tables)


def moved_columns(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the dates of the persons that are moved, so that nobody knows what is published of them.

    Example:
        >>> moved_columns({"p": LinkedTable(dates=["born"])})
        ('born',)
    """
    return tuple(c for table in tables.values() if not table.references for c in table.dates)
