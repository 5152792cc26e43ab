"""Singling out: a condition read from the published table that holds for exactly one original person."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Arguments, Attacked, AttackResult, NotMeasurable, Parameter
from qidguard_standard.attacks.attacked_table import (
    AttackedTable,
    ColumnMatch,
    Persons,
    Rows,
    SourceColumn,
    column_match,
)
from qidguard_standard.attacks.attempt import KNOWN, TARGETS, Targets
from qidguard_standard.attacks.finding import Wording, finding


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The condition that a value agrees with a published cell.

    In a truthful column it is that the cell covers the value. A number that was changed is worth no more than
    its side: at least as high where it stands in the upper half of the published ones, else at most as high
    (Giomi et al. 2023). Any other changed value has to be the same.

    Args:
        column: The column's place.
        published: The published code.
    """

    column: int
    published: int

    def holds(self, match: ColumnMatch, source: SourceColumn) -> NDArray[np.bool_]:
        """Return for which of the source's codes it holds; shape (codes,)."""
        center = match.coverage.centers[self.published]
        if match.is_truthful or source.numbers is None or not np.isfinite(center):
            return match.covered(self.published, source)
        if center >= match.median:
            return np.asarray(source.numbers >= center)
        return np.asarray(source.numbers <= center)


@dataclass(frozen=True, kw_only=True)
class Extreme:
    """The condition that a number reaches into the highest, or the lowest, published cell, or beyond.

    Args:
        column: The column's place.
        is_highest: Which end.
    """

    column: int
    is_highest: bool

    def holds(self, match: ColumnMatch, source: SourceColumn) -> NDArray[np.bool_]:
        """Return for which of the source's codes it holds; shape (codes,)."""
        ends = match.coverage.lows if self.is_highest else match.coverage.highs
        ends = ends[~match.coverage.is_suppressed & np.isfinite(ends)]
        if source.numbers is None or not len(ends):
            return np.zeros(len(source.low), dtype=np.bool_)
        if self.is_highest:
            return np.asarray(source.numbers >= ends.max())
        return np.asarray(source.numbers <= ends.min())


Condition = Cell | Extreme


def univariate(
    columns: tuple[ColumnMatch, ...], persons: NDArray[np.int64]
) -> Iterator[tuple[Condition, ...]]:
    """Yield a predicate for each value that one published person has, and for both ends of each number."""
    for place, match in enumerate(columns):
        pairs = np.unique(np.stack([match.after.codes, persons]), axis=1)
        alone = np.flatnonzero(np.bincount(pairs[0], minlength=1) == 1)
        for code in alone.tolist():
            yield (Cell(column=place, published=code),)
        if match.before.is_numeric:
            yield (Extreme(column=place, is_highest=True),)
            yield (Extreme(column=place, is_highest=False),)


_MOST_MASKS = 2000
"""Conditions whose outcome is kept: on a column of 100,000 values they take 200 MB."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """The people of the original, or those withheld.

    Args:
        persons: Whose record each one is.
        columns: How each column is matched.
        source: Each column of these people.
        rows: Their distinct combinations.
    """

    persons: Persons
    columns: tuple[ColumnMatch, ...]
    source: tuple[SourceColumn, ...]
    rows: Rows
    _masks: dict[Condition, NDArray[np.bool_]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, source: tuple[SourceColumn, ...], columns: tuple[ColumnMatch, ...], persons: Persons
    ) -> "Group":
        """Return the group of some columns."""
        rows = Rows.of([column.codes for column in source], len(persons.of_record))
        return cls(persons=persons, columns=columns, source=source, rows=rows)

    def meeting(self, predicate: tuple[Condition, ...]) -> tuple[int, int]:
        """Return how many persons have a record that meets all conditions, and who is one of them, or −1."""
        rows = self.rows.where({cell.column: self._mask(cell) for cell in predicate})
        if not len(rows):
            return 0, -1
        somebody = int(self.persons.of_record[self.rows.order[self.rows.start[rows[0]]]])
        if not self.persons.has_entities:
            return int((self.rows.start[rows + 1] - self.rows.start[rows]).sum()), somebody
        is_there = np.zeros(self.persons.count, dtype=np.bool_)
        is_there[self.persons.of_record[self.rows.records_of(rows)]] = True
        return int(is_there.sum()), somebody

    def _mask(self, condition: Condition) -> NDArray[np.bool_]:
        if condition not in self._masks:
            if len(self._masks) >= _MOST_MASKS:
                self._masks.clear()
            self._masks[condition] = condition.holds(
                self.columns[condition.column], self.source[condition.column]
            )
        return self._masks[condition]


def chance_of_one(meeting: NDArray[np.int64], withheld: int, persons: int) -> NDArray[np.float64]:
    """Return the chance that exactly one of ``persons`` people drawn from those withheld meets a condition.

    Hypergeometric, drawn without replacement, where at least as many are withheld; else binomial.

    The chances; shape (conditions,).
    """
    from scipy import stats

    if withheld == persons:
        return np.where(meeting == 1, 1.0, 0.0)
    if withheld > persons:
        chance = stats.hypergeom.pmf(1, withheld, meeting, persons)
    else:
        chance = stats.binom.pmf(1, persons, meeting / withheld)
    return np.asarray(np.clip(chance, 0.0, 1.0), dtype=np.float64)


_STEP = 50
"""Conditions between two reports of progress."""


class SinglingOut:
    """The attacker reads conditions from the published table; success is one that holds for one person.

    ``multivariate``: a published person is drawn and the cells of ``known`` of their QIDs, drawn at random,
    are the condition, so that the rate is the share of published persons whose own cells single somebody
    out. ``univariate``: each value that one published person has, and the lowest and highest published number
    of each QID. How a cell becomes a condition where the value in it was changed, see ``Cell``. Persons are
    counted, not records. ``with_sensitive`` takes the sensitive attributes into the conditions, too: they are
    published as they are, so most tables single people out by them.

    Control: the same conditions on as many withheld people, drawn from them without replacement, or with it
    where there are too few: the chance that exactly one of those drawn meets the condition. Where few are
    withheld rare traits are missing among them, so the control is low and the excess high. A condition from a
    record holds for its own person at least, so of traits that many share the control may succeed more
    often, and the excess be below 0.

    ``people`` is the number of published persons singled out by a condition from their own record, or, of
    univariate conditions, of different persons singled out. The interval is Wilson's over the conditions, a
    sample of all that could be made. NULL is a value.

    Literature: Giomi et al. 2023, A unified framework for quantifying privacy risk in synthetic data,
    singling out.
    """

    name: ClassVar[str] = "singling_out"
    title: ClassVar[str] = "conditions that hold for one person only"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        KNOWN,
        TARGETS,
        Parameter(
            name="conditions",
            type=str,
            default="multivariate",
            choices=("multivariate", "univariate"),
            meaning="whether a condition is on several columns or on one",
        ),
        Parameter(
            name="with_sensitive",
            type=bool,
            default=False,
            meaning="whether conditions may be on sensitive attributes, too",
        ),
    )

    def attack(self, attacked: Attacked, arguments: Arguments) -> AttackResult:
        """Return how many conditions single a person out; NotMeasurable where there is none to make."""
        table = AttackedTable.of(attacked)
        names, columns = _columns(table, attacked, is_wide=arguments["with_sensitive"])
        is_many = arguments["conditions"] == "multivariate"
        predicates = (
            list(_multivariate(table, columns, attacked, arguments))
            if is_many
            else list(univariate(columns, table.published))
        )
        source = tuple(SourceColumn.original(column.before) for column in columns)
        groups = [Group.of(source, columns, table.persons)]
        withheld = attacked.withheld
        if withheld is not None and withheld.records:
            pairs = zip(names, columns, strict=True)
            source = tuple(SourceColumn.withheld(withheld.column(n), column.before) for n, column in pairs)
            groups.append(Group.of(source, columns, Persons.of(withheld, attacked.task.entity)))
        meeting = np.zeros((len(groups), len(predicates)), dtype=np.int64)
        singled: set[int] = set()
        for place, predicate in enumerate(predicates):
            if not place % _STEP:
                attacked.task.progress.step(f"attack {self.name}", place, len(predicates))
            for number, group in enumerate(groups):
                meeting[number, place], somebody = group.meeting(predicate)
                if not number and meeting[number, place] == 1:
                    singled.add(somebody)
        attacked.task.progress.step(f"attack {self.name}", len(predicates), len(predicates))
        control = None
        if len(groups) > 1:
            control = chance_of_one(meeting[1], groups[1].persons.count, table.persons.count)
        return finding(
            attack=self.name,
            arguments=arguments,
            published=(meeting[0] == 1).astype(np.float64),
            control=control,
            persons=len(np.unique(table.published)) if is_many else table.persons.count,
            people=None if is_many else float(len(singled)),
            wording=Wording(
                trials="conditions",
                success="hold for exactly one person",
                control="of them, tried on withheld persons,",
            ),
        )


def _columns(
    table: AttackedTable, attacked: Attacked, *, is_wide: bool
) -> tuple[tuple[str, ...], tuple[ColumnMatch, ...]]:
    """Return the columns that conditions may be on."""
    after = attacked.changes.after.names
    more = [name for name in attacked.task.sensitive if is_wide and name in after and name not in table.qids]
    columns = (*table.columns, *(column_match(attacked.changes, name) for name in more))
    if not columns:
        raise NotMeasurable(
            "Conditions are on published quasi-identifiers, and none is published; nobody can be singled out."
        )
    return (*table.qids, *more), columns


def _multivariate(
    table: AttackedTable, columns: tuple[ColumnMatch, ...], attacked: Attacked, arguments: Arguments
) -> Iterator[tuple[Condition, ...]]:
    """Yield for each drawn person the cells of some columns of one of their published records."""
    distinct, number = np.unique(table.published, return_inverse=True)
    persons = Persons(of_record=number, count=len(distinct), has_entities=table.persons.has_entities)
    targets = Targets.drawn(
        persons,
        qids=len(columns),
        known=arguments["known"],
        most=arguments["targets"],
        generator=np.random.default_rng([attacked.task.seed, 0]),
    )
    for record, known in zip(targets.records.tolist(), targets.known, strict=True):
        yield tuple(Cell(column=c, published=int(columns[c].after.codes[record])) for c in known)
