"""What a node loses, and bounds that no node below or above it can beat."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from qidguard_standard.anonymizers.full_domain.classes import Classes
from qidguard_standard.anonymizers.full_domain.domain import Domain, covered_losses, height_losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOSSES = ("ncp", "granularity", "precision", "discernibility", "average_class_size")


class Loss(Protocol):
    """What is lost; smaller is better. Bounds hold for every outcome of a node."""

    def least(self) -> "NDArray[np.float64]":
        """Return for every node of the lattice what it loses at least; one axis a QID."""

    def of(self, levels: tuple[int, ...], classes: Classes, kept: "NDArray[np.bool_]") -> float:
        """Return what a node loses."""

    def finer(
        self,
        levels: tuple[int, ...],
        classes: Classes,
        removed: "NDArray[np.float64]",
        least: "NDArray[np.float64]",
    ) -> "NDArray[np.float64]":
        """Return what the nodes below lose at least, given how many of each class they suppress at least.

        ``least`` is the part of the lattice's array below the node.
        """

    def coarser(self, classes: Classes) -> float:
        """Return what the nodes above lose at least."""


class CellLoss:
    """Means over the QID cells of all records; a suppressed record counts 1 in each.

    Args:
        domains: The QIDs.
        classes: The classes on exact values.
        losses: For each QID and level what each code loses, 0..1, growing with the level.
    """

    def __init__(
        self,
        domains: Sequence[Domain],
        classes: Classes,
        losses: "Sequence[Sequence[NDArray[np.float64]]]",
    ) -> None:
        self._losses = losses
        self._records = int(classes.records.sum())
        self._cells = self._records * len(domains)
        means = []
        for domain, levels, codes in zip(domains, losses, classes.codes, strict=True):
            counted = np.bincount(codes, weights=classes.records, minlength=len(domain.groups[0]))
            means.append(np.array([float(level @ counted) for level in levels]))
        self._means = means

    def least(self) -> "NDArray[np.float64]":
        """Return the sum of the columns' losses: suppression only adds to it."""
        total = np.zeros(())
        for means in self._means:
            total = total[..., None] + means
        return total / self._cells

    def of(self, levels: tuple[int, ...], classes: Classes, kept: "NDArray[np.bool_]") -> float:
        """Return the mean over cells."""
        lost = sum(means[level] for means, level in zip(self._means, levels, strict=True))
        return (
            float(lost + self._of_suppression(levels, classes, np.where(kept, 0.0, classes.records)))
            / self._cells
        )

    def finer(
        self,
        levels: tuple[int, ...],
        classes: Classes,
        removed: "NDArray[np.float64]",
        least: "NDArray[np.float64]",
    ) -> "NDArray[np.float64]":
        """Return the bounds: below, the suppressed lose no less than 1, and would lose no more than here."""
        return least + self._of_suppression(levels, classes, removed) / self._cells

    def coarser(self, classes: Classes) -> float:  # noqa: ARG002 - what is above is bounded by its own columns
        """Return 0: what lies above is bounded by its own columns."""
        return 0.0

    def _of_suppression(
        self, levels: tuple[int, ...], classes: Classes, removed: "NDArray[np.float64]"
    ) -> float:
        """Return what suppressed cells lose beyond what they would lose at the levels."""
        out = np.flatnonzero(removed)
        if not len(out):
            return 0.0
        lost = np.full(len(out), float(len(levels)))
        for losses, level, codes in zip(self._losses, levels, classes.codes, strict=True):
            lost -= losses[level].take(codes.take(out))
        return float(lost @ removed.take(out))


class SizeLoss:
    """Losses by the sizes of classes, in records.

    Discernibility (Bayardo & Agrawal 2005): the sum of size², a suppressed record counting as many as there
    are records. Average class size (LeFevre, DeWitt & Ramakrishnan 2006): all records, suppressed ones too,
    by the number of classes that are published.

    Args:
        domains: The QIDs.
        classes: The classes on exact values.
        is_mean: Whether it is the average; else discernibility.
    """

    def __init__(self, domains: Sequence[Domain], classes: Classes, *, is_mean: bool) -> None:
        self._is_mean = is_mean
        self._records = int(classes.records.sum())
        self._most_classes = classes.count
        self._groups = [
            np.array([len(np.unique(groups.take(codes))) for groups in domain.groups], dtype=np.float64)
            for domain, codes in zip(domains, classes.codes, strict=True)
        ]

    def least(self) -> "NDArray[np.float64]":
        """Return the loss of as many equal classes as the levels could make."""
        most = np.ones(())
        for groups in self._groups:
            most = most[..., None] * groups
        found: NDArray[np.float64] = self._records / np.minimum(most, self._most_classes)
        return found if self._is_mean else found * self._records

    def of(self, levels: tuple[int, ...], classes: Classes, kept: "NDArray[np.bool_]") -> float:  # noqa: ARG002 - sizes say it all
        """Return the loss of the classes that are kept."""
        if self._is_mean:
            return self._records / max(1, int(kept.sum()))
        size = classes.records.astype(np.float64)
        return float(np.where(kept, size, self._records) @ size)

    def finer(
        self,
        levels: tuple[int, ...],  # noqa: ARG002 - sizes say it all
        classes: Classes,  # noqa: ARG002 - sizes say it all
        removed: "NDArray[np.float64]",
        least: "NDArray[np.float64]",
    ) -> "NDArray[np.float64]":
        """Return the bounds: what this node suppresses makes no class below, and counts in full."""
        out = float(removed.sum())
        if self._is_mean:
            return np.maximum(least, self._records / max(1.0, self._records - out))
        return np.maximum(least, out * self._records + (self._records - out))

    def coarser(self, classes: Classes) -> float:
        """Return the loss without suppression: above, classes only merge."""
        return self.of((), classes, np.ones(classes.count, dtype=np.bool_))


def loss_of(name: str, domains: Sequence[Domain], classes: Classes) -> Loss:
    """Return a loss by its name."""
    if name in {"discernibility", "average_class_size"}:
        return SizeLoss(domains, classes, is_mean=name == "average_class_size")
    table = {
        "ncp": lambda domain: covered_losses(domain, is_by_width=True),
        "granularity": lambda domain: covered_losses(domain, is_by_width=False),
        "precision": height_losses,
    }
    return CellLoss(domains, classes, [table[name](domain) for domain in domains])
