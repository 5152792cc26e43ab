"""What the tables of a data set must be to each other and to the roles; each rule yields complaints."""

from collections.abc import Iterator, Mapping

from qidguard.core.naming import did_you_mean
from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint, FieldPath
from qidguard.policy.series_rules import qids_of
from qidguard.policy.tables import OF_DATES, ROLE_FIELDS, LinkedTable, in_order, persons_name

_OWN_OF_CHILDREN = ("order", *ROLE_FIELDS[1:], "per_person")
"""What only other tables than the persons' have: of their fields of roles the dates they may have, too."""


def table_rules(policy: PolicyFields) -> Iterator[Complaint]:
    """The tables hang together, every record reaches a person, and roles and tables say the same.

    Example:
        >>> from qidguard.policy import Policy
        >>> policy = Policy(qidguard=1, name="demo", preset="pdpc-sg-5", roles={"quasi_identifiers": ["age"]})
        >>> list(table_rules(policy))
        []
    """
    if not policy.tables:
        return
    faults = [*_references(policy)]
    yield from faults
    if faults:
        return
    yield from _persons(policy)
    yield from _columns(policy)
    yield from _per_person(policy)
    yield from _known(policy)
    yield from _held(policy)


def _references(policy: PolicyFields) -> Iterator[Complaint]:
    tables = policy.tables
    for name, table in tables.items():
        for column, other in table.references.items():
            path: FieldPath = ("tables", name, "references", column)
            if other not in tables:
                hint = did_you_mean(other, tables) or f"the tables are {', '.join(tables)}"
                yield Complaint(path=path, sentence=f"there is no table {other!r}; {hint}")
            elif tables[other].references and tables[other].key is None:
                sentence = f"table {other!r} is referred to and has no key; write key: and its column"
                yield Complaint(path=path, sentence=sentence)
    if all(other in tables for table in tables.values() for other in table.references.values()):
        yield from _ways(policy)


def _ways(policy: PolicyFields) -> Iterator[Complaint]:
    """References lead to one table of persons, and in no circle."""
    tables = policy.tables
    alone = [name for name, table in tables.items() if not table.references]
    if not alone:
        sentence = "every table refers to another, in a circle; the persons' table refers to none"
        yield Complaint(path=("tables",), sentence=sentence)
    for name in alone[1:]:
        sentence = (
            f"the tables {alone[0]!r} and {name!r} both have no references, and only the persons' table has"
            " none; write references of the other, through which its records reach a person"
        )
        yield Complaint(path=("tables", name), sentence=sentence)
    if alone:
        for name in tables:
            if name not in in_order(tables):
                sentence = (
                    f"table {name!r} stands in a circle of references, or behind one; remove one of them"
                )
                yield Complaint(path=("tables", name, "references"), sentence=sentence)


def _persons(policy: PolicyFields) -> Iterator[Complaint]:
    name = persons_name(policy.tables)
    assert name is not None  # noqa: S101 - the references were looked at
    table, entity = policy.tables[name], policy.roles.entity
    if policy.source.path is not None:
        sentence = "source.path and tables both say where the records are; keep one of them"
        yield Complaint(path=("source", "path"), sentence=sentence)
    if entity is None:
        sentence = f"tables need the key of the persons' table {name!r} as roles.entity"
        yield Complaint(path=("roles",), sentence=sentence)
    elif table.key not in {None, entity}:
        sentence = (
            f"the key of the persons' table is {table.key!r}, and roles.entity {entity!r}; write the same"
        )
        yield Complaint(path=("tables", name, "key"), sentence=sentence)
    for field in _OWN_OF_CHILDREN:
        if getattr(table, field):
            sentence = f"{field} is for the other tables; of the persons' table {name!r} roles say it"
            yield Complaint(path=("tables", name, field), sentence=sentence)
    known = qids_of(policy)
    for at, column in enumerate(table.dates):
        if column in known or column == entity or column in policy.roles.direct_identifiers:
            sentence = (
                f"column {column!r} of the persons is moved as a date, so it can be no quasi-identifier,"
                " entity or direct identifier; call it insensitive or sensitive, or do not move it"
            )
            yield Complaint(path=("tables", name, "dates", at), sentence=sentence)
    yield from _series(policy, table)
    if policy.remedy is not None and policy.remedy.output != "records":
        sentence = "tables hold records that refer to persons, so no new table may take their place"
        yield Complaint(path=("remedy", "output"), sentence=f"{sentence}; leave output out")


def _series(policy: PolicyFields, persons: LinkedTable) -> Iterator[Complaint]:
    """Days of a series are columns of the persons, read as they stand, and nothing that is published."""
    made = made_columns(policy.tables)
    for field, column in () if policy.series is None else policy.series.places():
        if column in persons.dates:
            sentence = (
                f"column {column!r} is {field} of the series and so never published, and it is moved as a"
                " date of the persons, too; give the series a column of its own"
            )
            yield Complaint(path=("series", field), sentence=sentence)
        elif column in made:
            sentence = (
                f"column {column!r} is {field} of the series, and it is made of the records of another"
                " table; name a column of the persons' table"
            )
            yield Complaint(path=("series", field), sentence=sentence)


def _columns(policy: PolicyFields) -> Iterator[Complaint]:
    """Each column of a table is one thing."""
    for name, table in policy.tables.items():
        seen: dict[str, str] = {}
        for field, column in table.places():
            if column in seen and frozenset({seen[column], field}) != {"key", "references"}:
                sentence = f"column {column!r} stands in {seen[column]} and in {field}; keep one of them"
                yield Complaint(path=("tables", name, field), sentence=sentence)
            seen.setdefault(column, field)


def _per_person(policy: PolicyFields) -> Iterator[Complaint]:
    """What is made of a table's records reads its columns, and does not change where dates are moved."""
    made: dict[str, str] = {}
    for name, table in policy.tables.items():
        known = {*table.decided, *(() if table.order is None else (table.order,))}
        if table.order is not None and table.order not in table.decided:
            sentence = (
                f"order is {table.order!r}, which is in none of {', '.join(ROLE_FIELDS)}; add it to one"
            )
            yield Complaint(path=("tables", name, "order"), sentence=sentence)
        for own, one in table.per_person.items():
            path: FieldPath = ("tables", name, "per_person", own)
            if own in made:
                yield Complaint(
                    path=path, sentence=f"{own!r} is made of {made[own]!r}, too; rename one of them"
                )
            made[own] = name
            if one.column is None:
                continue
            if one.column not in known:
                hint = did_you_mean(one.column, known) or "say first what the column is"
                sentence = f"it reads {one.column!r}, which is in no field of {name!r}; {hint}"
                yield Complaint(path=path, sentence=sentence)
            elif (one.column in table.dates) != (one.way in OF_DATES):
                sentence = (
                    f"it reads {one.column!r}, whose dates are moved; take intervals or span of it"
                    if one.column in table.dates
                    else f"{one.way} is of moved dates, and {one.column!r} is not among dates; add it"
                )
                yield Complaint(path=path, sentence=sentence)
            elif one.column in (table.key, *table.references):
                sentence = (
                    f"it reads the key {one.column!r}, which is published as a pseudonym; count records"
                )
                yield Complaint(path=path, sentence=sentence)
            elif one.way in {"sequence", "distinct_sequence", "first", "last"} and table.order is None:
                sentence = f"{one.way} needs an order; write order: and a date of {name!r}"
                yield Complaint(path=path, sentence=sentence)


def _known(policy: PolicyFields) -> Iterator[Complaint]:
    """What an attacker may know of records is judged through a column of the persons."""
    if policy.is_auto:
        return
    qids = qids_of(policy)
    for name, table in policy.tables.items():
        judged = {one.column for own, one in table.per_person.items() if own in qids}
        for at, column in enumerate(table.quasi_identifiers):
            if column not in judged:
                sentence = (
                    f"nothing that is made of {column!r} per person is a quasi-identifier; write for example"
                    f" per_person: {{{name}_{column}: {{set: {column}}}}}, and name that in"
                    " roles.quasi_identifiers"
                )
                yield Complaint(path=("tables", name, "quasi_identifiers", at), sentence=sentence)


def _held(policy: PolicyFields) -> Iterator[Complaint]:
    """What stands for records is published with them, so nothing drops or generalizes it."""
    for table in policy.tables.values():
        for own in table.per_person:
            if own in policy.release.drop:
                sentence = (
                    f"{own!r} stands for records that are published; it is never written, so leave it out"
                )
                yield Complaint(path=("release", "drop"), sentence=sentence)
            if policy.remedy is not None and (policy.remedy.recode or {}).get(own):
                sentence = (
                    f"{own!r} stands for records that are published as they are, so generalizing or dropping"
                    " it would protect nobody; leave it out"
                )
                yield Complaint(path=("remedy", "recode", own), sentence=sentence)


def made_columns(tables: Mapping[str, LinkedTable]) -> tuple[str, ...]:
    """Return the columns of the persons that are made of the records of other tables.

    Example:
        >>> made_columns({"e": LinkedTable(references={"p": "p"}, per_person={"visits": {"count": True}})})
        ('visits',)
    """
    return tuple(own for table in tables.values() for own in table.per_person)


def sensitive_beside(tables: Mapping[str, LinkedTable]) -> tuple[str, ...]:
    """Return the sensitive columns of the tables beside the persons', each as ``table.column``.

    Example:
        >>> sensitive_beside({"e": LinkedTable(references={"p": "p"}, sensitive=["code"])})
        ('e.code',)
    """
    return tuple(f"{name}.{column}" for name, table in tables.items() for column in table.sensitive)
