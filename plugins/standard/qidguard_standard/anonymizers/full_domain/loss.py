"""What a node loses, and bounds that no node below or above it can beat."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments
from qidguard_standard.anonymizers.full_domain.classes import SortedClasses
from qidguard_standard.anonymizers.full_domain.domain import Domain, covered_losses, height_losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOSSES = ("ncp", "granularity", "precision", "discernibility", "average_class_size", "geometric_loss")


class Loss:
    """What is lost; smaller is better. Bounds hold for every outcome of a node."""

    def least(self) -> "NDArray[np.float64]":
        """Return for every node of the lattice what it loses at least; one axis a QID."""
        raise NotImplementedError

    def of(self, levels: tuple[int, ...], classes: SortedClasses, kept: "NDArray[np.bool_]") -> float:
        """Return what a node loses."""
        raise NotImplementedError

    def finer(
        self,
        levels: tuple[int, ...],
        classes: SortedClasses,
        removed: "NDArray[np.float64]",
        least: "NDArray[np.float64]",
    ) -> "NDArray[np.float64]":
        """Return what the nodes below lose at least, given how many of each class they suppress at least.

        ``least`` is the part of the lattice's array below the node.
        """
        raise NotImplementedError

    def coarser(self, classes: SortedClasses) -> float:
        """Return what the nodes above lose at least; 0 where their own columns bound it."""
        del classes
        return 0.0


class CellLoss(Loss):
    """Means over the QID cells of all records; a suppressed record counts 1 in each.

    Args:
        domains: The QIDs.
        classes: The classes on exact values.
        losses: For each QID and level what each code loses, 0..1, growing with the level.
    """

    def __init__(
        self,
        domains: Sequence[Domain],
        classes: SortedClasses,
        losses: "Sequence[Sequence[NDArray[np.float64]]]",
    ) -> None:
        self._losses = losses
        self._records = int(classes.records.sum())
        self._cells = self._records * len(domains)
        means = []
        for domain, levels, codes in zip(domains, losses, classes.codes, strict=True):
            counted = np.bincount(codes, weights=classes.records, minlength=len(domain.groups[0]))
            means.append(np.array([float((level * counted).sum()) for level in levels]))
        self._means = means
        self._is_flat = all(bool((level == level[:1]).all()) for levels in losses for level in levels)

    def least(self) -> "NDArray[np.float64]":
        """Return the sum of the columns' losses: suppression only adds to it."""
        total = np.zeros(())
        for means in self._means:
            total = total[..., None] + means
        return total / self._cells

    def of(self, levels: tuple[int, ...], classes: SortedClasses, kept: "NDArray[np.bool_]") -> float:
        """Return the mean over cells."""
        lost = sum(means[level] for means, level in zip(self._means, levels, strict=True))
        return (
            float(lost + self._of_suppression(levels, classes, np.where(kept, 0.0, classes.records)))
            / self._cells
        )

    def finer(
        self,
        levels: tuple[int, ...],
        classes: SortedClasses,
        removed: "NDArray[np.float64]",
        least: "NDArray[np.float64]",
    ) -> "NDArray[np.float64]":
        """Return the bounds: below, the suppressed lose no less than 1, and would lose no more than here.

        Where a level costs every value alike, what they would lose is known for each node below.
        """
        if self._is_flat:
            return least + float(removed.sum()) / self._records * (1 - least)
        return least + self._of_suppression(levels, classes, removed) / self._cells

    def _of_suppression(
        self, levels: tuple[int, ...], classes: SortedClasses, removed: "NDArray[np.float64]"
    ) -> float:
        """Return what suppressed cells lose beyond what they would lose at the levels."""
        out = np.flatnonzero(removed)
        if not len(out):
            return 0.0
        lost = np.full(len(out), float(len(levels)))
        for losses, level, codes in zip(self._losses, levels, classes.codes, strict=True):
            lost -= losses[level].take(codes.take(out))
        return float((lost * removed.take(out)).sum())


class SizeLoss(Loss):
    """Losses by the sizes of classes, in records.

    Discernibility (Bayardo & Agrawal 2005): the sum of size², a suppressed record counting as many as there
    are records. Average class size (LeFevre, DeWitt & Ramakrishnan 2006): all records, suppressed ones too,
    by the number of classes that are published.

    Args:
        domains: The QIDs.
        classes: The classes on exact values.
        is_mean: Whether it is the average; else discernibility.
    """

    def __init__(self, domains: Sequence[Domain], classes: SortedClasses, *, is_mean: bool) -> None:
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

    def of(self, levels: tuple[int, ...], classes: SortedClasses, kept: "NDArray[np.bool_]") -> float:  # noqa: ARG002 - sizes say it all
        """Return the loss of the classes that are kept."""
        if self._is_mean:
            return self._records / max(1, int(kept.sum()))
        size = classes.records.astype(np.float64)
        return float((np.where(kept, size, self._records) * size).sum())

    def finer(
        self,
        levels: tuple[int, ...],  # noqa: ARG002 - sizes say it all
        classes: SortedClasses,  # noqa: ARG002 - sizes say it all
        removed: "NDArray[np.float64]",
        least: "NDArray[np.float64]",
    ) -> "NDArray[np.float64]":
        """Return the bounds: what this node suppresses makes no class below, and counts in full."""
        out = float(removed.sum())
        if self._is_mean:
            return np.maximum(least, self._records / max(1.0, self._records - out))
        return np.maximum(least, out * self._records + (self._records - out))

    def coarser(self, classes: SortedClasses) -> float:
        """Return the loss without suppression: above, classes only merge."""
        return self.of((), classes, np.ones(classes.count, dtype=np.bool_))


class GeometricLoss(Loss):
    """ARX's measure Loss under its aggregate function, the geometric mean of the QIDs (Prasser et al. 2020).

    A column with D values loses the mean over the records of the share of D that their published values
    cover, from 1/D to 1 brought to 0..1 as x = (share − 1/D) / (1 − 1/D): Iyengar's loss. All together lose
    the m-th root of Π (1 + loss of a column), less 1. ``balance`` b weighs generalization by
    g = min(1, 2 − 2b) and suppression by s = min(1, 2b): a record that is kept counts g times its share, one
    that is suppressed share + s·(1 − share), and what is brought to 0..1 starts at g/D.

    Args:
        domains: The QIDs.
        classes: The classes on exact values.
        balance: b, 0..1; 0.5 counts both in full, less favors suppression, more generalization.
    """

    def __init__(self, domains: Sequence[Domain], classes: SortedClasses, balance: float) -> None:
        generalization, suppression = min(1.0, 2 - 2 * balance), min(1.0, 2 * balance)
        self._records = max(1, int(classes.records.sum()))
        self._suppression = suppression
        self._losses = [covered_losses(domain, is_by_width=False) for domain in domains]
        self._kept, self._means = [], []
        for losses, codes in zip(self._losses, classes.codes, strict=True):
            counted = np.bincount(codes, weights=classes.records, minlength=len(losses[0]))
            one = 1 / max(1, int((counted > 0).sum()))
            scale = 1.0 if generalization == 1 else generalization * (1 - one) / (1 - generalization * one)
            self._kept.append(scale)
            self._means.append(
                scale * np.array([float((level * counted).sum()) for level in losses]) / self._records
            )

    def least(self) -> "NDArray[np.float64]":
        """Return the loss without suppression, which only adds to it."""
        return self._together(self._means)

    def of(self, levels: tuple[int, ...], classes: SortedClasses, kept: "NDArray[np.bool_]") -> float:
        """Return the geometric mean over the columns."""
        more = self._of_suppression(levels, classes, np.where(kept, 0.0, classes.records))
        lost = [means[level] + added for means, level, added in zip(self._means, levels, more, strict=True)]
        return float(self._together([np.array([one]) for one in lost]).item())

    def finer(
        self,
        levels: tuple[int, ...],
        classes: SortedClasses,
        removed: "NDArray[np.float64]",
        least: "NDArray[np.float64]",  # noqa: ARG002 - what suppression adds is added column by column
    ) -> "NDArray[np.float64]":
        """Return the bounds: below, suppression adds no less to a column's loss than here."""
        more = self._of_suppression(levels, classes, removed)
        columns = zip(self._means, levels, more, strict=True)
        return self._together([means[: level + 1] + added for means, level, added in columns])

    def _of_suppression(
        self, levels: tuple[int, ...], classes: SortedClasses, removed: "NDArray[np.float64]"
    ) -> list[float]:
        """Return for each column what suppressed records add to its mean, beyond their level's loss."""
        out = np.flatnonzero(removed)
        added = []
        for losses, level, codes, kept in zip(self._losses, levels, classes.codes, self._kept, strict=True):
            lost = losses[level].take(codes.take(out))
            alone = lost + self._suppression * (1 - lost)
            added.append(float(((alone - kept * lost) * removed.take(out)).sum()) / self._records)
        return added

    def _together(self, columns: "Sequence[NDArray[np.float64]]") -> "NDArray[np.float64]":
        """Return the geometric mean of every combination of the columns' losses, one axis a column."""
        total = np.ones(())
        for losses in columns:
            total = total[..., None] * (1 + losses) ** (1 / len(columns))
        return total - 1


def loss_of(name: str, domains: Sequence[Domain], classes: SortedClasses, balance: float = 0.5) -> Loss:
    """Return a loss by its name; the balance of generalization and suppression is that of geometric_loss."""
    if name == "geometric_loss":
        return GeometricLoss(domains, classes, balance)
    if name in {"discernibility", "average_class_size"}:
        return SizeLoss(domains, classes, is_mean=name == "average_class_size")
    table = {
        "ncp": lambda domain: covered_losses(domain, is_by_width=True),
        "granularity": lambda domain: covered_losses(domain, is_by_width=False),
        "precision": height_losses,
    }
    return CellLoss(domains, classes, [table[name](domain) for domain in domains])


def second_loss(arguments: Arguments) -> str:
    """Return the name of the loss that decides ties: another one than the first."""
    if arguments["ties"] != arguments["loss"]:
        return str(arguments["ties"])
    return "ncp" if arguments["loss"] == "discernibility" else "discernibility"
