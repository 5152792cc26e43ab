"""The pattern-friendly QIDs of a table: by categorical QIDs alone, and by all of them as the paper has it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.sdk import (
    AnonymizationTask,
    EngineSettings,
    Plot,
    ReadOptions,
    Records,
    ResultTable,
    UserError,
    records_of,
)
from qidguard_hybrid_dp.patterns.categories import CATEGORIES, CategoryLimits
from qidguard_hybrid_dp.patterns.forest import Forest, labels_of
from qidguard_hybrid_dp.patterns.friendly import LARGEST, MOST_LOSS, TWO_LARGEST, Examined, Pattern, examine
from qidguard_hybrid_dp.patterns.plots import category_plot, friendly_plot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class FoundPatterns:
    """What was found of each QID.

    Args:
        qids: All QIDs, in order.
        alone: The categorical QIDs, where the forest sees these only, as in the anonymizer.
        together: All QIDs, where it sees all of them.
    """

    qids: tuple[str, ...]
    alone: tuple[Examined, ...]
    together: tuple[Examined, ...]

    @property
    def friendly(self) -> tuple[str, ...]:
        """The QIDs that the anonymizer takes as pattern-friendly."""
        return tuple(one.name for one in self.alone if one.is_friendly)

    @property
    def headline(self) -> str:
        """One sentence."""
        named = ", ".join(self.friendly) or "none"
        others = tuple(one.name for one in self.together if one.is_friendly)
        if others == self.friendly:
            return f"Pattern-friendly: {named}; also where the forest sees numbers."
        seen = ", ".join(others) or "none"
        return f"Pattern-friendly: {named}; where the forest sees numbers: {seen}."

    def tables(self) -> tuple[ResultTable, ...]:
        """Return shares, losses and reasons, a row for each QID; and how many values of each category."""
        alone = {one.name: one for one in self.alone}
        return (
            ResultTable(
                name="patterns",
                title="Quasi-identifiers by their patterns",
                columns=(
                    *("column", "values", "largest %", "two largest %"),
                    *("loss, alone", "loss, with numbers", "pattern-friendly", "reason"),
                ),
                rows=tuple(_row(one, alone.get(one.name)) for one in self.together),
                note=(
                    f"Frequent: one value holds more than {LARGEST:.0%} of the records, or two more than"
                    f" {TWO_LARGEST:.0%}; two rarer values have to stand beside. Losses are points of"
                    " held-out accuracy when the column is permuted; above"
                    f" {MOST_LOSS:g} the forest needs it. The anonymizer goes by categories alone, since"
                    " nothing may depend on a number that gets noise."
                ),
            ),
            ResultTable(
                name="categories",
                title="Values of each category",
                columns=("column", *(c.value for c in CATEGORIES)),
                rows=tuple(_ranked(one) for one in self.together),
            ),
        )

    def plots(self) -> dict[str, Plot]:
        """Return the categories, and loss over share (Fig. 9)."""
        drawn = {"categories": category_plot(self.together)}
        if any(one.loss is not None for one in self.together):
            drawn["friendly"] = friendly_plot(self.together)
        return drawn


def find_patterns(
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    target: str | None = None,
    is_refitted: bool = False,
    seed: int = 0,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
) -> FoundPatterns:
    """Return which QIDs of a table are pattern-friendly, and why.

    Args:
        source: A path, a frame, or whatever else the engine opens.
        qids: The quasi-identifiers.
        sensitive: What the forest predicts; of several the largest loss counts.
        target: What it predicts where no sensitive attribute is named.
        is_refitted: Whether a forest without the QID is fitted instead of permuting it.
        seed: Seeds the forest.
        read: How the source is read.
        settings: Memory limit and threads.

    Raises:
        UserError: When a QID is predicted as well.
        DataError: When the source cannot be read, or has no such column.
    """
    names = tuple(dict.fromkeys(qids))
    predicted = tuple(dict.fromkeys((*sensitive, *([] if target is None else [target]))))
    for name in predicted:
        if name in names:
            raise UserError(f"{name!r} cannot be predicted from itself; name it as one of the two")
    held = records_of(source, (*names, *predicted), read=read, settings=settings)
    task = AnonymizationTask(
        combinations=(names,), entity=None, sensitive=tuple(sensitive), seed=seed, target=target
    )
    labels = labels_of(held, task, ())
    forest = Forest(seed=seed, is_refitted=is_refitted)
    every = [_pattern(held, name) for name in names]
    return FoundPatterns(
        qids=names,
        alone=_examine([one for one in every if one.numbers is None], labels, forest),
        together=_examine(every, labels, forest),
    )


def _examine(
    patterns: list[Pattern], labels: "list[NDArray[np.int64]]", forest: Forest
) -> tuple[Examined, ...]:
    return examine(patterns, labels, limits=CategoryLimits(), forest=forest, is_each_asked=True)


def _pattern(held: Records, name: str) -> Pattern:
    column = held.column(name)
    numbers = column.numbers[column.codes] if column.is_numeric and column.numbers is not None else None
    return Pattern(name=name, codes=held.codes((name,))[:, 0], numbers=numbers)


def _row(one: Examined, alone: Examined | None) -> tuple[Any, ...]:
    shares = (100 * sum(one.shares[:1]), 100 * sum(one.shares[:2]))
    if alone is None:
        return (one.name, len(one.shares), *shares, None, one.loss, False, "numeric, gets noise")
    return (one.name, len(one.shares), *shares, alone.loss, one.loss, alone.is_friendly, alone.why)


def _ranked(one: Examined) -> tuple[Any, ...]:
    counts = Counter(one.ranks)
    return (one.name, *(counts[rank] for rank in range(len(CATEGORIES))))
