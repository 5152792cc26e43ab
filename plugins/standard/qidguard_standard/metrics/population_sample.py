"""What the population models are fitted to: how many classes of each size a sample has."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import NotMeasurable, TableView

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class PopulationSample:
    """Frequencies of class sizes in a sample, and the share of the population that was sampled.

    Args:
        size: The class sizes that occur, in persons, ascending, ≥ 1; shape (distinct sizes,).
        classes_of_size: How many classes have each of them, ≥ 1; the same shape.
        fraction: Share of the population that is in the sample, 0 < fraction ≤ 1.
    """

    size: "NDArray[np.float64]"
    classes_of_size: "NDArray[np.float64]"
    fraction: float

    @property
    def persons(self) -> float:
        """Persons in the sample (n)."""
        return float(self.size @ self.classes_of_size)

    @property
    def classes(self) -> float:
        """Equivalence classes of the sample (u)."""
        return float(self.classes_of_size.sum())

    @property
    def population(self) -> float:
        """Persons in the population, n / fraction (N)."""
        return self.persons / self.fraction

    def classes_with(self, persons: int) -> float:
        """Return how many classes hold exactly ``persons`` persons, ≥ 0."""
        return float(self.classes_of_size[self.size == persons].sum())

    def resampled(self, draw: np.random.Generator) -> "PopulationSample":
        """Return as many classes drawn from its own with replacement, of the same sampling fraction."""
        classes = int(self.classes)
        drawn = draw.multinomial(classes, self.classes_of_size / self.classes)
        is_drawn = drawn > 0
        return PopulationSample(
            size=self.size[is_drawn],
            classes_of_size=drawn[is_drawn].astype(np.float64),
            fraction=self.fraction,
        )


def population_sample(view: TableView, qids: tuple[str, ...]) -> PopulationSample:
    """Count the class sizes of a table as a sample of a population.

    Example:
        >>> import numpy as np
        >>> class Four:
        ...     sampling_fraction, has_entities, is_interrupted = 0.5, False, False
        ...
        ...     def class_sizes(self, qids):
        ...         return np.array([1, 2, 1])
        >>> sample = population_sample(Four(), ("age",))
        >>> sample.persons, sample.population, sample.classes_with(1)
        (4.0, 8.0, 2.0)
    """
    fraction = view.sampling_fraction
    if fraction is None:
        raise NotMeasurable(
            "Population uniqueness is estimated from the share of the population that is in the table, "
            "and none is known; the policy must give sampling_fraction."
        )
    sizes = view.class_sizes(qids)
    if not len(sizes):
        raise NotMeasurable("The table has no records, so it says nothing about a population.")
    if view.has_entities:
        entity = view.codes(qids).entity
        entities = 0 if entity is None else len(np.unique(entity))
        if int(sizes.sum()) != entities:
            raise NotMeasurable(
                f"Population models put every entity into one class, but {entities} entities appear "
                f"{int(sizes.sum())} times in classes; keep one record an entity to estimate uniqueness."
            )
    size, classes_of_size = np.unique(sizes, return_counts=True)
    return PopulationSample(
        size=size.astype(np.float64), classes_of_size=classes_of_size.astype(np.float64), fraction=fraction
    )
