"""The tables that a policy names, as an engine opens them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from qidguard.auditing.reading import read_options
from qidguard.core.errors import UserError
from qidguard.core.naming import did_you_mean
from qidguard.engines.linked import LinkedTables, MadeColumn, OpenedTable
from qidguard.policy.tables import in_order

if TYPE_CHECKING:
    from qidguard.engines.base import Engine, EngineSettings
    from qidguard.policy import Policy


def linked_source(given: Any, policy: "Policy") -> LinkedTables:
    """Return the tables that a policy names.

    Args:
        given: None for the paths that the policy says, or a mapping of a table's name to what is opened in
            the place of its path.
        policy: The policy; it names tables.

    Raises:
        UserError: When something else is given, a name is none of the policy's, or a table has no path.

    Example:
        >>> from qidguard.policy import parse_policy
        >>> text = "qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age], entity: id}"
        >>> tables = "tables: {e: {path: e.csv, references: {id: p}, insensitive: [ward]}, p: {path: p.csv}}"
        >>> linked_source(None, parse_policy(f"{{{text}, {tables}}}", "rules/p.yaml")).persons.source
        'rules/p.csv'
    """
    if isinstance(given, LinkedTables):
        return given
    places = {} if given is None else given
    if not isinstance(places, Mapping):
        raise UserError(
            "The policy names several tables, so no single one is given beside it; leave it out, or give a"
            " mapping of each table's name to its source."
        )
    for name in places:
        if name not in policy.tables:
            hint = did_you_mean(str(name), policy.tables)
            raise UserError(f"The policy has no table {name!r}; {hint or 'look at its tables'}.")
    return LinkedTables(
        tables=tuple(_table(policy, name, places.get(name)) for name in in_order(policy.tables)),
        shift_days=policy.shift_days,
    )


def _table(policy: "Policy", name: str, given: Any) -> OpenedTable:
    written = policy.tables[name]
    source = given
    if source is None:
        if written.path is None:
            raise UserError(f"Table {name!r} has no path; write tables: {name}: path: in the policy.")
        source = policy.resolve(written.path)
    is_of_persons = not written.references
    return OpenedTable(
        name=name,
        source=source,
        read=read_options(written, policy.order if is_of_persons else _own(policy.order, name)),
        key=policy.roles.entity if is_of_persons else written.key,
        references=dict(written.references),
        order=written.order,
        dates=written.dates,
        decided=None if is_of_persons else written.decided,
        held_back=written.held_back,
        drops_orphans=written.orphans == "drop",
        made=tuple(
            MadeColumn(name=own, way=one.way, column=one.column) for own, one in written.per_person.items()
        ),
    )


def _own(order: Mapping[str, tuple[str, ...]], table: str) -> dict[str, tuple[str, ...]]:
    """Return what is declared of the columns of a table that is not the persons'."""
    own = f"{table}."
    return {name.removeprefix(own): values for name, values in order.items() if name.startswith(own)}


def undecided(engine: "Engine", source: Any, settings: "EngineSettings") -> list[str]:
    """Return a sentence for each table beside the persons' with columns on which nobody decided.

    Raises:
        UserError: When a table lacks a column that the policy names.
    """
    said = []
    for table in source.tables[1:] if isinstance(source, LinkedTables) else ():
        names, decided = engine.column_names(table.source, table.read, settings), table.decided or ()
        for name in decided:
            if name not in names:
                hint = did_you_mean(name, names, is_listed=False) or "look at its header"
                raise UserError(f"Table {table.name!r} has no column {name!r}; {hint}")
        if left := [name for name in names if name not in decided]:
            shown = ", ".join(repr(name) for name in left)
            said.append(f"table {table.name!r} has {shown}, on which nobody decided; name each or drop it.")
    return said
