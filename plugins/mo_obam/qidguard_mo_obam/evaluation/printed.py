"""The rows of Tables IVa and Va and of Table VII as the paper prints them: published facts, not our results.

Cells that the copy at hand leaves empty or that contradict their own row (10 persons in classes below 14 at
k = 15) are None. A comparison takes None for 0, the strictest reading. Tables IVb and Vb are pictures there,
and not held.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from qidguard.sdk import UserError


@dataclass(frozen=True, kw_only=True)
class PrintedRow:
    """One row.

    Args:
        method: What the paper calls the method.
        settings: Its settings.
        k: Persons in the smallest class that it names.
        clusters: Number of clusters.
        information_loss: IL in raw units.
        at_risk: Persons at risk at τ = .05, .075 and .1; None where the cell cannot be read.
        homogeneous: Persons open to the homogeneity attack; None where the cell cannot be read.
        n_c: n_C where the method has one.
    """

    method: str
    settings: str
    k: int
    clusters: int
    information_loss: float
    at_risk: tuple[int | None, int | None, int | None]
    homogeneous: int | None
    n_c: int | None = None

    @property
    def five(self) -> tuple[float, ...]:
        """IL, the persons at risk and the homogeneous ones, what cannot be read being 0."""
        return self.information_loss, *(one or 0 for one in self.at_risk), self.homogeneous or 0


@dataclass(frozen=True, kw_only=True)
class PrintedTable:
    """A table of the paper.

    Args:
        title: Its name.
        clusters: Combinations of the table as it is.
        at_risk: Persons at risk in it.
        homogeneous: Persons open to the homogeneity attack in it.
        rows: The rows of methods.
        f1: Table VII: settings → the mean F1 of the six models, in the order of ``MODELS``.
    """

    title: str
    clusters: int
    at_risk: tuple[int, int, int]
    homogeneous: int
    rows: tuple[PrintedRow, ...]
    f1: Mapping[str, tuple[float, ...]]


_METHODS = {"k-anonymity": "k={k}", "Zheng et al.": "k={k}, l=2", "MO-OBAM": "k={k}, n_C={clusters}, λ=.0001"}
"""The paper's methods → their settings as it prints them."""


def _row(
    method: str,
    k: int,
    clusters: int,
    loss: float,
    at_risk: tuple[int | None, int | None, int | None],
    homogeneous: int | None = None,
) -> PrintedRow:
    return PrintedRow(
        method=method,
        settings=_METHODS[method].format(k=k, clusters=clusters),
        k=k,
        clusters=clusters,
        information_loss=loss,
        at_risk=at_risk,
        homogeneous=homogeneous,
        n_c=clusters if method == "MO-OBAM" else None,
    )


_GERMAN = PrintedTable(
    title="Table IVa, German Credit",
    clusters=310,
    at_risk=(959, 828, 698),
    homogeneous=275,
    rows=(
        _row("k-anonymity", 5, 149, 0.0166, (940, 790, 570), 50),
        _row("Zheng et al.", 5, 191, 0.0061, (899, 778, 532), 0),
        _row("MO-OBAM", 5, 30, 0.0147, (148, 63, 29), 10),
        _row("k-anonymity", 10, 90, 0.0255, (810, 810, 0), 0),
        _row("Zheng et al.", 10, 101, 0.0106, (860, 860, 0)),
        _row("MO-OBAM", 10, 30, 0.0153, (118, 71, 22)),
        _row("k-anonymity", 15, 63, 0.0408, (885, 0, 0)),
        _row("Zheng et al.", 15, 67, 0.0141, (820, None, None)),
        _row("MO-OBAM", 15, 30, 0.0153, (106, 40, 40)),
        _row("k-anonymity", 20, 49, 0.0545, (0, None, 0)),
        _row("Zheng et al.", 20, 51, 0.0164, (0, None, 0)),
        _row("MO-OBAM", 20, 30, 0.0148, (125, 57, 31)),
    ),
    f1={
        "baseline": (0.7702, 0.8124, 0.7938, 0.7109, 0.8381, 0.8266),
        "k=5, n_C=30, λ=.0001": (0.7708, 0.8079, 0.7901, 0.7210, 0.8396, 0.8273),
        "k=10, n_C=30, λ=.0001": (0.7683, 0.8049, 0.7928, 0.7208, 0.8400, 0.8244),
        "k=15, n_C=30, λ=.0001": (0.7690, 0.8038, 0.7960, 0.7156, 0.8341, 0.8245),
        "k=20, n_C=30, λ=.0001": (0.7699, 0.8073, 0.7939, 0.7239, 0.8373, 0.8265),
        "k=5, n_C=4, λ=1": (0.7701, 0.8123, 0.7910, 0.7153, 0.8382, 0.8239),
        "k=10, n_C=4, λ=1": (0.7714, 0.8077, 0.7863, 0.7148, 0.8398, 0.8251),
        "k=15, n_C=4, λ=1": (0.7698, 0.8090, 0.7923, 0.7218, 0.8387, 0.8241),
        "k=20, n_C=4, λ=1": (0.7696, 0.8057, 0.7878, 0.7189, 0.8351, 0.8264),
    },
)

_ADULT = PrintedTable(
    title="Table Va, Adult",
    clusters=1900,
    at_risk=(6506, 4906, 3910),
    homogeneous=634,
    rows=(
        _row("k-anonymity", 5, 1232, 0.0010, (5925, 4590, 3050), 5),
        _row("Zheng et al.", 5, 1066, 0.0006, (5077, 3680, 2280), 0),
        _row("MO-OBAM", 5, 100, 0.0116, (103, 69, 47), 3),
        _row("k-anonymity", 10, 930, 0.0022, (5080, 5080, 0), 0),
        _row("Zheng et al.", 10, 895, 0.0013, (4770, 4770, 0)),
        _row("MO-OBAM", 10, 100, 0.0116, (103, 69, 47)),
        _row("k-anonymity", 15, 774, 0.0034, (4167, 0, 0), 0),
        _row("Zheng et al.", 15, 779, 0.0019, (4084, 0, None)),
        _row("MO-OBAM", 15, 100, 0.0116, (103, 69, 47)),
        _row("k-anonymity", 20, 673, 0.0045, (0, None, 0), 0),
        _row("Zheng et al.", 20, 733, 0.0025, (0, None, None)),
        _row("MO-OBAM", 20, 100, 0.0116, (103, 69, 47)),
    ),
    f1={
        "baseline": (0.6203, 0.4052, 0.4183, 0.3475, 0.6787, 0.2757),
        "k=5, n_C=100, λ=.0001": (0.6202, 0.4077, 0.4192, 0.3481, 0.6684, 0.2729),
        "k=10, n_C=100, λ=.0001": (0.6203, 0.4076, 0.4190, 0.3495, 0.6695, 0.2746),
        "k=15, n_C=100, λ=.0001": (0.6203, 0.4052, 0.4190, 0.3477, 0.6674, 0.2741),
        "k=20, n_C=100, λ=.0001": (0.6203, 0.4073, 0.4197, 0.3478, 0.6688, 0.2746),
        "k=5, n_C=4, λ=1": (0.6186, 0.4014, 0.4193, 0.3566, 0.6600, 0.2727),
        "k=10, n_C=4, λ=1": (0.6194, 0.4022, 0.4189, 0.3492, 0.6607, 0.2743),
        "k=15, n_C=4, λ=1": (0.6180, 0.4011, 0.4196, 0.3530, 0.6608, 0.2741),
        "k=20, n_C=4, λ=1": (0.6183, 0.4002, 0.4182, 0.3504, 0.6603, 0.2746),
    },
)

PRINTED: Mapping[str, PrintedTable] = {"german": _GERMAN, "adult": _ADULT}
"""The paper's public data sets → what it prints of them."""


def printed_table(name: str) -> PrintedTable:
    """Return what the paper prints of a data set; UserError where it prints nothing that is held here.

    Example:
        >>> printed_table("german").clusters
        310
    """
    if name not in PRINTED:
        raise UserError(f"the paper's rows are held for {' and '.join(PRINTED)}, not for {name!r}")
    return PRINTED[name]
