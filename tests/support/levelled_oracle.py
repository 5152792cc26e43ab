"""Exhaustive search of the lattice in plain Python: no arrays, no bounds, no order of nodes that matters."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction

from levelled_tables import Table, nodes

MARK = "*"


@dataclass(frozen=True)
class Node:
    """One combination of levels: the published cells of all records, and the positions of those kept."""

    table: Table
    names: list
    hierarchies: dict
    levels: tuple
    cells: list
    kept: set

    @property
    def out(self):
        """How many records are suppressed."""
        return self.table.records - len(self.kept)


def exhaustive(  # noqa: PLR0913 - one argument for each thing that is asked of a search
    table, hierarchies, combinations, holds, *, most, loss, tie=None, is_by_cells=False, entity=None
):
    """Return the smallest loss of any node that keeps everything, and its levels; None for none.

    Of equal losses the smallest tie counts, then the lowest levels.

    ``holds`` are (kind, …) tuples: ("k", k), ("distinct", l, sensitive), ("entropy", …), ("recursive", …, c),
    ("t", t, sensitive), or ("exact", function of the list of class sizes, truth).
    """
    names = list(dict.fromkeys(name for columns in combinations for name in columns))
    codes = {name: table.column(name).codes for name in names}
    losses = []
    for levels in nodes(hierarchies, names):
        cells = []
        for i in range(table.records):
            row = []
            for name, level in zip(names, levels, strict=True):
                tree = hierarchies[name]
                row.append(tree.labels[level][tree.groups[level][codes[name][i]]])
            cells.append(tuple(row))
        kept = _kept(table, names, cells, combinations, holds, most, is_by_cells=is_by_cells, entity=entity)
        if kept is not None:
            node = Node(table, names, hierarchies, levels, cells, kept)
            losses.append((_rounded(loss(node)), 0 if tie is None else _rounded(tie(node)), levels))
    if not losses:
        return None
    least, _, levels = min(losses)
    return least, levels


def _rounded(loss):
    """Return a loss; one of roots without its rounding errors."""
    return round(loss, 11) if isinstance(loss, float) else loss


def _kept(table, names, cells, combinations, holds, most, *, is_by_cells, entity):
    kept = set(range(table.records))
    inherited = [hold for hold in holds if hold[0] in {"k", "distinct"}]
    for rules in (inherited, [hold for hold in holds if hold[0] != "exact"]):
        kept = _settled(table, names, cells, combinations, rules, kept, is_by_cells, entity)
        if table.records - len(kept) > most:
            return None
    while True:
        fewer = _mended(table, names, cells, combinations, holds, kept, is_by_cells, entity)
        if fewer == kept:
            return kept
        if fewer is None or table.records - len(fewer) > most:
            return None
        rules = [hold for hold in holds if hold[0] != "exact"]
        kept = _settled(table, names, cells, combinations, rules, fewer, is_by_cells, entity)
        if table.records - len(kept) > most:
            return None


def _classes(names, cells, columns, kept, *, is_by_cells):
    found = defaultdict(list)
    for i, cell in enumerate(cells):
        if i in kept:
            found[tuple(v for name, v in zip(names, cell, strict=True) if name in columns)].append(i)
        elif is_by_cells:
            found[(MARK,) * len(columns)].append(i)
    return found


def _settled(table, names, cells, combinations, rules, kept, is_by_cells, entity):
    while True:
        out = set()
        for columns in combinations:
            classes = _classes(names, cells, columns, kept, is_by_cells=is_by_cells)
            rows = [i for members in classes.values() for i in members]
            for key, members in classes.items():
                if is_by_cells and key == (MARK,) * len(columns):
                    continue
                if any(_breaks(table, members, rows, rule, entity) for rule in rules):
                    out |= kept & set(members)
        if not out:
            return kept
        kept = kept - out


def _mended(table, names, cells, combinations, holds, kept, is_by_cells, entity):
    """Return what is kept after the first remedy; the same where none is needed, None where none helps."""
    if not kept and not is_by_cells:
        return None
    rules = [hold for hold in holds if hold[0] != "exact"]
    if is_by_cells and _mark_breaks(table, names, cells, combinations, rules, kept, entity):
        whole = _classes(names, cells, names, kept, is_by_cells=True)
        whole.pop((MARK,) * len(names), None)
        order = [table.column(name).codes for name in names]
        smallest = min(
            whole.values(), key=lambda members: (len(members), _place(members, order)), default=None
        )
        return None if smallest is None else kept - set(smallest)
    for is_met in (hold[1] for hold in holds if hold[0] == "exact"):
        for columns in combinations:
            classes = _classes(names, cells, columns, kept, is_by_cells=is_by_cells)
            if not is_met([persons(table, members, entity) for members in classes.values()]):
                return _without_smallest(table, classes, kept, entity)
    return kept


def _mark_breaks(table, names, cells, combinations, rules, kept, entity):
    everybody = list(range(table.records))
    for columns in combinations:
        marked = _classes(names, cells, columns, kept, is_by_cells=True).get((MARK,) * len(columns))
        if marked and any(_breaks(table, marked, everybody, rule, entity) for rule in rules):
            return True
    return False


def _without_smallest(table, classes, kept, entity):
    sizes = {
        key: persons(table, members, entity)
        for key, members in classes.items()
        if set(key) != {MARK} and set(members) & kept
    }
    out = {i for key, size in sizes.items() if size == min(sizes.values()) for i in classes[key]}
    return kept - out if out else None


def _place(members, order):
    """Return a class's place: by the smallest codes of its members, column by column."""
    return tuple(min(int(codes[i]) for i in members) for codes in order)


def persons(table, members, entity):
    """Return the persons among records."""
    return len(members) if entity is None else len({table.values[entity][i] for i in members})


def _shares(table, members, sensitive, entity):
    if entity is None:
        counted = Counter(table.values[sensitive][i] for i in members)
    else:
        pairs = {(table.values[sensitive][i], table.values[entity][i]) for i in members}
        counted = Counter(value for value, _ in pairs)
    return counted


def _breaks(table, members, rows, rule, entity):
    kind, limit, *more = rule
    if kind == "k":
        return persons(table, members, entity) < limit
    counted = _shares(table, members, more[0], entity)
    total = sum(counted.values())
    if kind == "distinct":
        return len(counted) < limit
    if kind == "entropy":
        return math.exp(-sum(n / total * math.log(n / total) for n in counted.values())) < limit * (1 - 1e-12)
    if kind == "recursive":
        ranked = sorted(counted.values(), reverse=True)
        return limit > 1 and not ranked[0] < Fraction(repr(more[1])) * sum(ranked[math.ceil(limit) - 1 :])
    whole = _shares(table, rows, more[0], entity)
    everybody = sum(whole.values())
    distance = sum(abs(Fraction(counted[v], total) - Fraction(n, everybody)) for v, n in whole.items())
    return distance / 2 > Fraction(repr(limit))


def ncp(node):
    """Return the mean over cells of what they cover, suppressed records 1 a cell; by sets of values."""
    lost = Fraction(0)
    for at, (name, level) in enumerate(zip(node.names, node.levels, strict=True)):
        values = node.table.values[name]
        column = node.table.column(name)
        groups = node.hierarchies[name].groups[level][column.codes]
        for i in range(node.table.records):
            if i not in node.kept or node.cells[i][at] == MARK:
                lost += 1
            elif level:
                covered = {value for value, group in zip(values, groups, strict=True) if group == groups[i]}
                lost += _part(covered, set(values), is_numeric=column.is_numeric)
    return lost / (node.table.records * len(node.names))


def granularity_lost(node):
    """Return the mean over cells of the values they cover, suppressed records 1 a cell."""
    return Fraction(sum(map(sum, _values_covered(node)))) / (node.table.records * len(node.names))


def geometric_loss(node, balance=Fraction(1, 2)):
    """Return ARX's Loss under the geometric mean, with its factors for generalization and suppression."""
    kept, out = min(Fraction(1), 2 - 2 * balance), min(Fraction(1), 2 * balance)
    product = 1.0
    for name, losses in zip(node.names, _values_covered(node, is_kept_only=False), strict=True):
        domain = len(set(node.table.values[name]))
        total = Fraction(0)
        for i, lost in enumerate(losses):
            share = Fraction(1, domain) + lost * (1 - Fraction(1, domain))
            share = lost if domain == 1 and kept == 1 else share
            least = Fraction(0) if domain == 1 and kept == 1 else kept / domain
            counted = kept * share if i in node.kept else share + out * (1 - share)
            total += (counted - least) / (1 - least)
        product *= float(1 + total / node.table.records) ** (1 / len(node.names))
    return product - 1


def _values_covered(node, *, is_kept_only=True):
    """Return for each column what each record's cell loses: the values covered − 1 / all values − 1."""
    for at, (name, level) in enumerate(zip(node.names, node.levels, strict=True)):
        values = node.table.values[name]
        groups = node.hierarchies[name].groups[level][node.table.column(name).codes]
        lost = []
        for i in range(node.table.records):
            if (is_kept_only and i not in node.kept) or (level and node.cells[i][at] == MARK):
                lost.append(Fraction(1))
                continue
            covered = {value for value, group in zip(values, groups, strict=True) if group == groups[i]}
            lost.append(_part(covered, set(values), is_numeric=False) if level else Fraction(0))
        yield lost


def _part(covered, domain, *, is_numeric):
    """Return which part of a domain some of its values cover."""
    if is_numeric and None not in covered:
        numbers = [value for value in domain if value is not None]
        whole = max(numbers) - min(numbers)
        return Fraction(max(covered) - min(covered), whole) if whole else 0
    return Fraction(len(covered) - 1, len(domain) - 1) if len(domain) > 1 else 0


def precision(node):
    """Return the mean height of cells, suppressed records 1 a cell."""
    tops = [node.hierarchies[name].levels - 1 for name in node.names]
    height = sum(Fraction(level, top) for level, top in zip(node.levels, tops, strict=True))
    return (height * len(node.kept) + node.out * len(tops)) / (node.table.records * len(tops))


def discernibility(node):
    """Return the sum of squared sizes, a suppressed record counting all records."""
    sizes = Counter(node.cells[i] for i in node.kept)
    return sum(n * n for n in sizes.values()) + node.out * node.table.records


def average_class_size(node):
    """Return all records by the classes that are kept."""
    return Fraction(node.table.records, max(1, len({node.cells[i] for i in node.kept})))
