"""A stream of persons: who moves, who is present at each release, and who is known to leave when."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import UNKNOWN, UserError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import MemoryRecords

NOBODY = np.zeros(0, dtype=np.int64)
_AS_RECORDED = -1
"""The code of a cell that nobody changed."""


@dataclass(frozen=True, kw_only=True)
class Turnover:
    """What changes from one release to the next, as shares of the persons who are present before it.

    Counts are exact: what a share leaves over of a person is carried to the next release.

    Args:
        leave: Who leaves, 0 ≤ share < 1.
        come: Who comes for the first time, ≥ 0.
        change: Who stays and has one quasi-identifier recorded anew, 0..1: of one table drawn as its records
            have it, which is often the value that it was; of earlier files another value.
        come_back: Who returns, a share of those who left and were not erased, 0..1.
        erase: Who leaves and has to be deleted at once, last values included, 0 ≤ share < 1.

    Raises:
        UserError: When a share is no number, or outside its range.

    Example:
        >>> Turnover(leave=0.02, come=0.02, change=0.01).gone
        0.02
    """

    leave: float = 0.0
    come: float = 0.0
    change: float = 0.0
    come_back: float = 0.0
    erase: float = 0.0

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self)):
            share: object = getattr(self, name)
            if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
                raise UserError(f"{name} is a share of persons, 0 to 1, not {share!r}; 0.02 is two percent")
            object.__setattr__(self, name, float(share))
        if self.gone + self.change > 1 or self.gone == 1:
            raise UserError(
                f"{self.gone:.3g} of the persons leave and {self.change:.3g} change, which is more than all;"
                " lower a share"
            )

    @property
    def gone(self) -> float:
        """The share that is not there any more, erased or not."""
        return round(self.leave + self.erase, 12)

    def __str__(self) -> str:
        said = [(self.leave, "leave"), (self.come, "come"), (self.change, "change a quasi-identifier")]
        said += [(self.come_back, "of the gone return"), (self.erase, "are erased")]
        return ", ".join(f"{share * 100:.3g} % {words}" for share, words in said if share) or "nobody moves"


@dataclass(frozen=True, kw_only=True)
class PersonRows:
    """Where the records of persons stand among the rows that a stream holds.

    Args:
        start: Shape (persons,), the place of the first.
        count: Shape (persons,), how many follow one another, ≥ 1.
    """

    start: "NDArray[np.int64]"
    count: "NDArray[np.int64]"


@dataclass(frozen=True, kw_only=True)
class Move:
    """What happens between a release and the next; persons are numbers.

    Args:
        left: Who is not there any more, and whose last values may be kept.
        erased: Who is not there any more, last values included.
        came: Who is there for the first time.
        returned: Who left and is there again.
        changed: Who stays and has another value in a quasi-identifier.
        columns: For each of ``changed`` the place of the column; none where the rows are others.
        codes: For each of ``changed`` the new code; none where the rows are others.
        rows_of: Whose rows are others from now on.
        rows: Those rows.
    """

    left: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    erased: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    came: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    returned: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    changed: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    columns: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    codes: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    rows_of: "NDArray[np.int64]" = field(default_factory=NOBODY.copy)
    rows: PersonRows | None = None


class Present:
    """The persons of a stream at one release; the next release changes it.

    Args:
        present: Shape (persons,), who is there.
        erased: Shape (persons,), who must not be known any more.
        gone: Shape (persons,), releases without the person, this one counted; 0 for who is there, and for
            who never was.
        exit: Shape (persons,), the number of the first release that will be without the person.
    """

    def __init__(self, stream: "Stream") -> None:
        self.number = 0
        self.present = np.zeros(stream.persons, dtype=np.bool_)
        self.present[stream.first] = True
        self.erased = np.zeros(stream.persons, dtype=np.bool_)
        self.gone = np.zeros(stream.persons, dtype=np.int64)
        self.exit = stream.exits[0].copy()
        self._stream = stream
        self._start, self._count = stream.rows.start.copy(), stream.rows.count.copy()
        self._other = np.full((stream.persons, len(stream.qids)), _AS_RECORDED, dtype=np.int32)

    @property
    def exit_wave(self) -> "NDArray[np.int64]":
        """Releases that will still have each person, this one not counted; UNKNOWN of who is gone."""
        return np.where(self.present, self.exit - self.number - 1, UNKNOWN)

    def move(self, move: Move, exits: "NDArray[np.int64]") -> None:
        """Go on to the next release; ``exits`` are those of ``move.left`` once they are back."""
        self.number += 1
        away = np.concatenate([move.left, move.erased])
        self.present[away] = False
        self.gone[self.gone > 0] += 1
        self.gone[away] = 1
        self.erased[move.erased] = True
        here = np.concatenate([move.came, move.returned])
        self.present[here] = True
        self.gone[here] = 0
        self.exit[move.left] = exits
        if move.rows is not None:
            self._start[move.rows_of], self._count[move.rows_of] = move.rows.start, move.rows.count
        if len(move.codes):
            self._other[move.changed, move.columns] = move.codes

    def records(self, persons: "NDArray[np.int64]") -> "tuple[MemoryRecords, NDArray[np.int64]]":
        """Return the records of some persons, last values of who is gone, and whose each record is."""
        source = self._stream.source
        counts = self._count[persons]
        person = np.repeat(persons, counts)
        within = np.arange(len(person)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = np.repeat(self._start[persons], counts) + within
        codes = {}
        for name in source.names:
            if name == source.entity:
                codes[name] = (person + 1).astype(np.int32)
                continue
            own = source.column(name).codes[rows]
            if name in self._stream.qids:
                other = self._other[person, self._stream.qids.index(name)]
                own = np.where(other == _AS_RECORDED, own, other)
            codes[name] = own
        return source.recoded(codes), person


@dataclass(frozen=True, kw_only=True)
class Stream:
    """Persons over the releases of a series, the same each time it is followed.

    Args:
        source: The rows, those of a person one after the other.
        qids: The columns in which a person may change.
        persons: Number of persons over all releases.
        rows: The rows of each at first.
        first: Who is in the first release.
        moves: What happens before each further release.
        exits: The exits known at the first release, shape (persons,), then for each move those of who left
            with it.
        true_releases: How many of the releases were there, those that are read from files; 0 where all are
            simulated.
    """

    source: "MemoryRecords" = field(repr=False)
    qids: tuple[str, ...]
    persons: int
    rows: PersonRows = field(repr=False)
    first: "NDArray[np.int64]" = field(repr=False)
    moves: tuple[Move, ...] = field(repr=False)
    exits: "tuple[NDArray[np.int64], ...]" = field(repr=False)
    true_releases: int = 0

    @property
    def releases(self) -> int:
        """Number of releases, ≥ 1."""
        return len(self.moves) + 1

    def follow(self) -> Iterator[Present]:
        """Yield the persons at each release: one value, which changes from each to the next."""
        present = Present(self)
        yield present
        for move, exits in zip(self.moves, self.exits[1:], strict=True):
            present.move(move, exits)
            yield present


def known_exits(persons: int, moves: tuple[Move, ...]) -> "tuple[NDArray[np.int64], ...]":
    """Return the exits for a stream; who stays to its end goes after the last release."""
    exits = np.full(persons, len(moves) + 1, dtype=np.int64)
    after = []
    for number in range(len(moves), 0, -1):
        left = moves[number - 1].left
        after.append(exits[left])
        exits[left] = number
    return (exits, *reversed(after))
