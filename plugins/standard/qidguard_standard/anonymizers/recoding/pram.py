"""PRAM: values are exchanged at random by a stated transition matrix."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Arguments,
    ColumnValues,
    Original,
    Parameter,
    Recoded,
    Records,
)
from qidguard_standard.anonymizers.recoding.column_list import check_columns, column_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

TITLE = "post-randomization"
_PARAMETERS = (
    Parameter(
        name="p",
        type=float,
        default=0.8,
        minimum=0.0,
        maximum=1.0,
        meaning="probability that a cell is left alone",
    ),
    Parameter(
        name="columns",
        type=str,
        default="",
        meaning="columns whose values are exchanged, between commas or as a JSON list; none named means all "
        "that may be",
    ),
    Parameter(
        name="is_invariant",
        type=bool,
        default=False,
        meaning="whether the expected number of records of each value stays what it is",
    ),
)


class Pram:
    """Post-randomization of categories (Gouweleeuw, Kooiman, Willenborg & de Waal 1998).

    Each cell is drawn anew by the row of the transition matrix that belongs to its value, independently of
    all other cells. With m categories the matrix is

        p·I + (1 − p)/(m − 1)·(J − I)      a value stays with p, else becomes any other one alike;
        p·I + (1 − p)·1·tᵀ                 invariant: with 1 − p the value is drawn from the column's own
                                           distribution t, so that tᵀ times the matrix is t again.

    Whoever knows the matrix can estimate frequencies and undo the bias of what they compute. The draws
    follow the order of the records. Records of one entity are drawn one by one. It guarantees nothing of any
    class, so nothing is claimed. A missing value stays missing, and a column with a single value as it is.

    Literature: Gouweleeuw, Kooiman, Willenborg & de Waal 1998, Post randomization for statistical disclosure
    control: theory and implementation, Journal of Official Statistics 14(4).

    Args:
        name: The anonymizer's name.
        title: Its title.
        changes_sensitive: Whether it may change sensitive attributes and the target, which then are all that
            it changes unless columns are named.
    """

    def __init__(self, *, name: str, title: str, changes_sensitive: bool) -> None:
        self.name = name
        self.title = title
        self.changes_sensitive = changes_sensitive
        self.parameters: tuple[Parameter, ...] = _PARAMETERS

    def draws_values(self, _arguments: Arguments) -> bool:
        """Whether what it publishes is drawn by the seed.

        Example:
            >>> PRAM.draws_values({})
            True
        """
        return True

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return the columns with values exchanged.

        Example:
            >>> PRAM.name, PRAM_SENSITIVE.changes_sensitive
            ('pram', True)
        """
        named = column_list("columns", arguments["columns"])
        usual = tuple(name for name in task.quasi_identifiers if name != task.entity)
        allowed = usual
        if self.changes_sensitive:
            targets = () if task.target is None else (task.target,)
            others = (*task.sensitive, *targets)
            usual = tuple(dict.fromkeys(name for name in others if name != task.entity))
            allowed = tuple(dict.fromkeys((*allowed, *usual)))
        check_columns("columns", named, allowed)
        published, notes = {}, []
        chosen = named or usual
        for done, name in enumerate(chosen):
            task.progress.step(TITLE, done, len(chosen))
            values = records.column(name)
            draw = np.random.default_rng([task.seed, records.names.index(name)])
            drawn, categories = _drawn(values, arguments["p"], draw, is_invariant=arguments["is_invariant"])
            notes.append(_note(name, categories, arguments["p"], is_invariant=arguments["is_invariant"]))
            if (drawn != values.codes).any():
                every = tuple(Original(code) for code in range(len(values.texts)))
                published[name] = Recoded(codes=drawn, values=every)
        task.progress.step(TITLE, len(chosen), len(chosen))
        kept = np.ones(records.records, dtype=np.bool_)
        return Anonymized(kept=kept, columns=published, notes=tuple(notes))


def _drawn(
    values: ColumnValues, p: float, draw: np.random.Generator, *, is_invariant: bool
) -> "tuple[NDArray[np.int32], int]":
    """Return the code of each record after the exchange, and the number of categories."""
    codes = values.codes
    there = codes[codes > 0]
    categories = np.unique(there)
    if len(categories) <= 1:
        return codes, len(categories)
    exchanged = (draw.random(len(codes)) >= p) & (codes > 0)
    count = int(exchanged.sum())
    result = codes.copy()
    if is_invariant:
        # the value of a record that is drawn at random is drawn from the column's own distribution
        result[exchanged] = there[draw.integers(0, len(there), count)]
    else:
        place = np.searchsorted(categories, codes[exchanged])
        other = (place + draw.integers(1, len(categories), count)) % len(categories)
        result[exchanged] = categories[other]
    return result, len(categories)


def _note(name: str, categories: int, p: float, *, is_invariant: bool) -> str:
    start = f"transition matrix of {name!r}, {categories:,} categories: "
    if categories <= 1:
        return start + ("one value, which stays" if categories else "no value, so nothing is drawn")
    if is_invariant:
        return start + f"{p:g} on the diagonal, and {1 - p:g} times the column's own distribution in each row"
    return start + f"{p:g} on the diagonal, {(1 - p) / (categories - 1):.6g} elsewhere"


PRAM = Pram(name="pram", title="post-randomization (PRAM)", changes_sensitive=False)
"""PRAM of quasi-identifiers."""

PRAM_SENSITIVE = Pram(
    name="pram_sensitive",
    title="post-randomization (PRAM) of sensitive attributes",
    changes_sensitive=True,
)
"""PRAM of sensitive attributes and the target, and of quasi-identifiers that are named."""
