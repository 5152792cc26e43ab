"""A stream that is simulated: who moves is drawn by a stated turnover, from the persons of one table."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import UserError
from qidguard_series.stream import NOBODY, Move, PersonRows, Stream, Turnover, known_exits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import MemoryRecords

_OWN_STREAM = 0x57E4
_MOST_DRAWS = 100


@dataclass(kw_only=True)
class SimulatedPopulation:
    """The persons known so far, from whom a simulation goes on.

    Args:
        source: The rows, those of a person one after the other.
        qids: The columns in which a person may change.
        start: The place of each person's first row.
        count: How many rows each has.
        present: Who is there.
        gone: Who left and may return.
        held_back: Who has not come yet, in the order of their coming.
        models: The persons after whom more are made.
        are_changes_true: Whether who changes has another value, and not one that is drawn anew.
    """

    source: "MemoryRecords"
    qids: tuple[str, ...]
    start: list[int]
    count: list[int]
    present: "NDArray[np.int64]"
    gone: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    held_back: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    models: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    are_changes_true: bool = False


def one_table(
    source: "MemoryRecords", qids: tuple[str, ...], first: int | None, seed: int
) -> SimulatedPopulation:
    """Return the persons of a table, of whom ``first`` are in the first release."""
    chance = np.random.default_rng([seed, _OWN_STREAM])
    sorted_rows, start, count = rows_by_person(source)
    drawn = chance.permutation(len(start))
    if first is not None and not 1 <= first <= len(drawn):
        raise UserError(
            f"the first release has 1 to {len(drawn):,} persons, which the table has, not {first:,}"
        )
    some = len(drawn) if first is None else first
    return SimulatedPopulation(
        source=sorted_rows,
        qids=qids,
        start=start.tolist(),
        count=count.tolist(),
        present=np.sort(drawn[:some]),
        held_back=drawn[some:],
        models=np.arange(len(drawn)),
    )


def rows_by_person(
    source: "MemoryRecords",
) -> "tuple[MemoryRecords, NDArray[np.int64], NDArray[np.int64]]":
    """Return records in the order of their persons, with the place and the number of each person's."""
    if source.entity is None:
        return source, np.arange(source.records), np.ones(source.records, dtype=np.int64)
    person = source.column(source.entity).codes - 1
    order = np.argsort(person, kind="stable")
    count = np.bincount(person).astype(np.int64)
    held = source.recoded({name: source.column(name).codes[order] for name in source.names})
    return held, np.cumsum(count) - count, count


def continued(
    population: SimulatedPopulation,
    turnover: Turnover,
    *,
    releases: int,
    seed: int,
    first: "NDArray[np.int64] | None" = None,
    true_moves: tuple[Move, ...] = (),
    true_rows: PersonRows | None = None,
) -> Stream:
    """Return a stream of so many releases: those that are known, then simulated ones.

    Args:
        population: The persons after what is known.
        turnover: Who moves.
        releases: Number of releases, ≥ 1 more than there are true moves.
        seed: Seeds what is drawn.
        first: Who is in the first release; None takes who is present.
        true_moves: What is known to have happened.
        true_rows: The rows of the persons known so far at the first release; None takes the present ones.
    """
    chance = np.random.default_rng([seed, _OWN_STREAM, 1])
    first = population.present if first is None else first
    simulation = _Simulation(population, turnover, chance)
    moves = (*true_moves, *(simulation.move() for _ in range(releases - 1 - len(true_moves))))
    persons = len(population.start)
    rows = PersonRows(start=np.array(population.start), count=np.array(population.count))
    if true_rows is not None:
        known = len(true_rows.start)
        rows.start[:known], rows.count[:known] = true_rows.start, true_rows.count
    return Stream(
        source=population.source,
        qids=population.qids,
        persons=persons,
        rows=rows,
        first=first,
        moves=moves,
        exits=known_exits(persons, moves),
        true_releases=len(true_moves) + 1 if true_rows is not None else 0,
    )


class _Simulation:
    """Draws one move after the other."""

    def __init__(
        self, population: SimulatedPopulation, turnover: Turnover, chance: np.random.Generator
    ) -> None:
        self._of, self._turnover, self._chance = population, turnover, chance
        self._left_over: dict[str, float] = {}
        self._cells: dict[tuple[int, int], int] = {}
        source = population.source
        self._codes = [source.column(name).codes for name in population.qids]
        self._varied = [at for at, name in enumerate(population.qids) if source.column(name).distinct > 1]

    def move(self) -> Move:
        of, turnover = self._of, self._turnover
        persons = self._chance.permutation(of.present)
        left = self._count("leave", turnover.leave, len(persons))
        away = left + self._count("erase", turnover.erase, len(persons))
        changed = persons[away:][: self._count("change", turnover.change, len(persons))]
        returned = self._chance.permutation(of.gone)
        returned = returned[: self._count("come_back", turnover.come_back, len(of.gone))]
        came = self._newcomers(self._count("come", turnover.come, len(persons)))
        of.gone = np.concatenate([np.setdiff1d(of.gone, returned), persons[:left]])
        of.present = np.sort(np.concatenate([persons[away:], returned, came]))
        columns, codes = self._changes(changed)
        return Move(
            left=persons[:left],
            erased=persons[left:away],
            came=came,
            returned=returned,
            changed=changed,
            columns=columns,
            codes=codes,
        )

    def _count(self, name: str, share: float, of: int) -> int:
        """Return whole persons; what is left over of one is carried on."""
        exact = share * of + self._left_over.get(name, 0.0)
        whole = int(exact + 1e-9)
        self._left_over[name] = exact - whole
        return whole

    def _newcomers(self, number: int) -> "NDArray[np.int64]":
        of = self._of
        waiting, of.held_back = of.held_back[:number], of.held_back[number:]
        models = self._chance.choice(of.models, number - len(waiting))
        made = np.arange(len(of.start), len(of.start) + len(models))
        of.start += [of.start[model] for model in models.tolist()]
        of.count += [of.count[model] for model in models.tolist()]
        return np.concatenate([waiting, made])

    def _changes(self, persons: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """Return for each person a column and a value of it, drawn from the records: often that which it had.

        Where changes are true ones both are drawn until the value is another, so that a column changes the
        more often the less its values agree.
        """
        columns, codes = np.zeros((2, len(persons)), dtype=np.int64)
        if not self._varied:
            return columns, np.full(len(persons), -1, dtype=np.int64)
        for at, person in enumerate(persons.tolist()):
            for _ in range(_MOST_DRAWS):
                column = self._varied[self._chance.integers(len(self._varied))]
                own = self._codes[column]
                now = self._cells.get((person, column), int(own[self._of.start[person]]))
                columns[at], codes[at] = column, own[self._chance.integers(len(own))]
                if codes[at] != now or not self._of.are_changes_true:
                    break
            self._cells[person, int(columns[at])] = int(codes[at])
        return columns, codes
