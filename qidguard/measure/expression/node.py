"""The parts of a parsed expression."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as written, NULL or a truth value; ``places`` are the digits behind its decimal point."""

    value: int | float | Fraction | bool | None
    places: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """A column, in lower case."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator over parts; ``count(*)`` is ``count`` over none."""

    function: str
    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Case:
    """CASE WHEN … THEN … ELSE … END; without ELSE the last part is NULL."""

    branches: "tuple[tuple[Node, Node], ...]"
    otherwise: "Node"


@dataclass(frozen=True, slots=True)
class Cast:
    """CAST(part AS type)."""

    part: "Node"
    to: str


Node = Literal | Name | Call | Case | Cast

AGGREGATES = frozenset({"count", "sum", "min", "max"})


def names_in(node: Node) -> frozenset[str]:
    """Return the columns that an expression mentions."""
    match node:
        case Name(name):
            return frozenset({name})
        case Call(_, parts):
            return frozenset().union(*map(names_in, parts))
        case Cast(part, _):
            return names_in(part)
        case Case(branches, otherwise):
            pairs = (names_in(when) | names_in(then) for when, then in branches)
            return frozenset().union(names_in(otherwise), *pairs)
        case Literal():
            return frozenset()
