"""Aggregates over rows that stand for several equal ones, rewritten in the database's own syntax tree.

A walk over subsets counts classes of the same size once and says how many there are. ``sum(x)`` becomes
``sum(x * times)``, ``count(x)`` the sum of ``times``; least and largest stay. Whatever is not known to
come out the same, such as another aggregate or a subquery, is refused and left to the table's own SQL.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from qidguard.engines.classes import Unsupported

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TIMES = '"times of the row"'
"""The column that says how many rows a row stands for; no statistic can have its name."""

Node = dict[str, Any]
"""A node of the database's syntax tree, as it writes it in JSON."""

_SCALARS = frozenset({"+", "-", "*", "/", "ln", "abs", "greatest", "least"})
_AGGREGATES = frozenset({"sum", "min", "max", "count", "count_star"})
_KINDS = frozenset(
    {"BETWEEN", "CASE", "CAST", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION", "OPERATOR"}
    | {"TYPE"}
)
_HOLE = "hole"
_TEMPLATES = {
    "sum": f"sum({_HOLE} * {TIMES})",
    "count": f"CAST(sum(CASE WHEN {_HOLE} IS NULL THEN 0 ELSE {TIMES} END) AS BIGINT)",
    "count_star": f"CAST(sum({TIMES}) AS BIGINT)",
}


@dataclass(frozen=True)
class Weighted:
    """An aggregate over rows.

    Args:
        sql: The expression, each row counted as often as it stands for.
        names: The columns that it mentions, in lower case.
        summed: The expressions that it sums.
    """

    sql: str
    names: frozenset[str]
    summed: tuple[str, ...]


def weighted(database: "DuckDBPyConnection", sql: str, *, is_weighted: bool) -> Weighted:
    """Return an aggregate as it is taken over rows that stand for several; Unsupported for anything unknown.

    Without weights every row stands for itself, and the expression stays as it is.
    """
    tree = _tree(database, sql)
    nodes = list(_nodes(tree))
    if not all(_is_known(node) for node in nodes):
        raise Unsupported
    names = frozenset(
        str(node["column_names"][-1]).lower() for node in nodes if node["class"] == "COLUMN_REF"
    )
    summed = tuple(_sql(database, _argument(node)) for node in nodes if node.get("function_name") == "sum")
    if is_weighted:
        tree = _rewritten(database, tree)
        sql = _sql(database, tree)
    return Weighted(sql, names, summed)


def _tree(database: "DuckDBPyConnection", sql: str) -> Node:
    """Return the syntax tree of one expression."""
    rows = database.execute(
        "SELECT CAST(json_serialize_sql(?) AS VARCHAR)", [f"SELECT ({sql}\n) AS x"]
    ).fetchall()
    parsed = json.loads(rows[0][0])
    if parsed.get("error", True) or len(parsed["statements"]) != 1:
        raise Unsupported
    node = parsed["statements"][0]["node"]
    if node.get("type") != "SELECT_NODE" or len(node["select_list"]) != 1:
        raise Unsupported
    from_table = node.get("from_table") or {}
    if from_table.get("type") != "EMPTY" or node.get("where_clause") or node.get("modifiers"):
        raise Unsupported
    found: Node = node["select_list"][0]
    return found | {"alias": ""}


def _sql(database: "DuckDBPyConnection", tree: Node) -> str:
    """Return the text of a syntax tree."""
    whole = json.loads(
        database.execute("SELECT CAST(json_serialize_sql('SELECT 1') AS VARCHAR)").fetchall()[0][0]
    )
    whole["statements"][0]["node"]["select_list"] = [tree]
    rows = database.execute("SELECT json_deserialize_sql(CAST(? AS JSON))", [json.dumps(whole)]).fetchall()
    return str(rows[0][0]).removeprefix("SELECT ")


def _nodes(tree: Any) -> Iterator[Node]:
    """Yield every expression of a tree, also those inside others."""
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "class" in item and "type" in item:
                yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _is_known(node: Node) -> bool:
    if node["class"] not in _KINDS:
        return False
    if node["class"] == "COLUMN_REF":
        return len(node["column_names"]) == 1
    if node["class"] != "FUNCTION":
        return True
    is_plain = not node.get("filter") and not node.get("distinct") and not node["order_bys"]["orders"]
    return is_plain and not node.get("schema") and node["function_name"].lower() in _SCALARS | _AGGREGATES


def _argument(node: Node) -> Node:
    if len(node["arguments"]) != 1:
        raise Unsupported
    return cast("Node", node["arguments"][0]["expression"])


def _rewritten(database: "DuckDBPyConnection", node: Any) -> Any:
    """Return the tree with every aggregate counting the rows that a row stands for."""
    if isinstance(node, list):
        return [_rewritten(database, item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("class") == "FUNCTION" and node["function_name"] in _TEMPLATES:
        template = _tree(database, _TEMPLATES[node["function_name"]])
        return template if not node["arguments"] else _filled(template, _argument(node))
    return {key: _rewritten(database, value) for key, value in node.items()}


def _filled(template: Any, argument: Node) -> Any:
    """Return the template with the argument in its hole."""
    if isinstance(template, list):
        return [_filled(item, argument) for item in template]
    if not isinstance(template, dict):
        return template
    if template.get("class") == "COLUMN_REF" and template["column_names"] == [_HOLE]:
        return argument
    return {key: _filled(value, argument) for key, value in template.items()}
