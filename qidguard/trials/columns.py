"""Which columns a release carries, and what was done to the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.auditing.roles import never_published
from qidguard.core.errors import PolicyError
from qidguard.core.report import ColumnReport

if TYPE_CHECKING:
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class ReleasedColumns:
    """The columns of a release.

    Args:
        published: Columns that are published, in the table's order.
        dropped: Column → why it never arrives.
    """

    published: tuple[str, ...]
    dropped: dict[str, str]


def select(
    columns: Sequence[ColumnReport],
    policy: "Policy",
    source: Sequence[ColumnReport] = (),
    by_remedy: Sequence[str] = (),
) -> ReleasedColumns:
    """Return which columns are published: no direct identifier, none that the policy drops.

    A column that says who a person is across records (the entity) is not published either, unless the policy
    also calls it insensitive. What the ``source`` has and a new table has not is dropped, too, and so is what
    a remedy leaves out.
    """
    dropped = never_published(columns, policy)
    dropped |= {name: "dropped by the remedy" for name in by_remedy if name not in dropped}
    names = {column.facts.name for column in columns}
    why = never_published(source, policy)
    for column in source:
        if column.facts.name not in names:
            dropped[column.facts.name] = why.get(column.facts.name, "not in the new table")
    published = tuple(c.facts.name for c in columns if c.facts.name not in dropped)
    if not published:
        raise PolicyError(
            "no column would be published: each is a direct identifier, the entity or dropped; change the"
            " policy's roles, release.drop or remedy"
        )
    return ReleasedColumns(published=published, dropped=dropped)
