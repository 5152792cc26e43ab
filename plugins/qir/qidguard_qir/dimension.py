"""Algorithm 2: how many of the quasi-identifiers to anonymize (Mansour et al. 2021, section 3.3)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from qidguard.sdk import MemoryRecords, NotMeasurable, Progress, Records, UserError
from qidguard_qir.dimensions import ChosenDimension, DimensionRun, Dimensions, Size, choose
from qidguard_qir.gain import Gain, RehearsedGain, mean_risk

SAMPLE = 0.1
"""The paper's sample: 10 % of the table."""
SMALLEST_CLASSES = (5, 15, 25)
"""The paper's k."""
SEEDS = 10
"""Samples that are drawn where nobody says."""
_Run = TypeVar("_Run")


def by_risk(
    records: Records, qids: Sequence[str], entity: str | None = None
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return columns in the order of falling risk, of equals in the table's order, and their risks 0..1."""
    place = {name: at for at, name in enumerate(records.names)}
    risks = {name: mean_risk(records, (name,), entity) for name in qids}
    order = sorted(risks, key=lambda name: (-risks[name], place[name]))
    return tuple(order), tuple(risks[name] for name in order)


def find_dimension_in(  # noqa: PLR0913 - each argument is one decision about the search
    records: MemoryRecords,
    qids: Sequence[str],
    rehearse: RehearsedGain,
    *,
    k: Sequence[int] = SMALLEST_CLASSES,
    sizes: Sequence[Size] = (SAMPLE,),
    seeds: int = SEEDS,
    seed: int = 0,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Dimensions:
    """Return how many quasi-identifiers to anonymize, for each k and size of sample.

    On each sample the quasi-identifiers join one after the other in the order of their risk; the sample is
    anonymized each time, and ``choose`` takes one of the dimensions by privacy gain (the share of the mean
    prosecutor risk that was removed) and non-uniform entropy (the percentage of information kept). Source:
    Mansour et al. 2021, Algorithm 2. The paper draws one sample; here ``seeds`` of them are drawn, for a
    choice that another sample would not make is worth little.

    Args:
        records: The records; they stay as they are.
        qids: The quasi-identifiers, at least one.
        rehearse: Anonymizes a sample.
        k: Smallest classes, persons, each ≥ 2.
        sizes: Sizes of samples: shares, numbers of persons, or None for all.
        seeds: Samples for each size, ≥ 1, drawn by ``seed``, ``seed`` + 1, ….
        seed: The first seed, ≥ 0.
        progress: Hears of finished rehearsals.
        is_stopped: Asked before each rehearsal whether to stop. What is done until then is returned, and
            Ctrl-C does the same once there is a choice.

    Returns:
        Every figure, the choice for each k and size, and how many samples agree on it. An anonymizer that
        cannot do it is a row with the reason.

    Units:
        PG and NUE in percent; k in persons.

    Raises:
        UserError: When there is no quasi-identifier, or an argument is out of its range.

    NULL is a value of its own. A single quasi-identifier, and those of one value, have the dimension 1 or
    more like any others. Records without any record are a DataError of who reads them.
    """
    _check(qids, k, sizes, seeds, seed)
    ordered, risks = by_risk(records, qids, records.entity)
    asked = seeds * len(sizes) * len(k) * len(ordered)
    runs = collected(
        _runs(records, ordered, rehearse, (k, sizes, range(seed, seed + seeds)), is_stopped),
        asked,
        "rehearsing dimensions",
        progress=progress,
        is_stopped=is_stopped,
        fewest=len(ordered),  # nothing could be chosen before
    )
    return Dimensions(
        qids=ordered,
        risks=risks,
        anonymizer=rehearse.label,
        records=records.records,
        runs=tuple(runs),
        chosen=tuple(_chosen(runs, size, one, len(ordered)) for size in sizes for one in k),
        asked=asked,
    )


def collected(
    runs: Iterator[_Run],
    asked: int,
    title: str,
    *,
    progress: Progress | None,
    is_stopped: Callable[[], bool] = lambda: False,
    fewest: int = 1,
) -> list[_Run]:
    """Return runs until one is the last of those asked for, somebody stops, or Ctrl-C after the fewest."""
    done: list[_Run] = []

    def say(many: int) -> None:
        if progress is not None:
            progress.step(title, many, asked)

    say(0)
    try:
        for run in runs:
            done.append(run)
            if len(done) < asked:
                say(len(done))
                if is_stopped():
                    break
    except KeyboardInterrupt:
        if len(done) < fewest:
            raise
    say(asked)
    return done


def _runs(
    records: MemoryRecords,
    qids: tuple[str, ...],
    rehearse: RehearsedGain,
    asked: tuple[Sequence[int], Sequence[Size], Sequence[int]],
    is_stopped: Callable[[], bool],
) -> Iterator[DimensionRun]:
    """Yield the rehearsals, seed by seed, so that whatever is stopped has whole samples.

    The clock may have cut the last one short: without a figure it tells nothing.
    """
    smallest, sizes, seeds = asked
    for seed in seeds:
        for size in sizes:
            sample = records.sample(size, seed)
            for k in smallest:
                for dimension in range(1, len(qids) + 1):
                    gain, reason = _tried(sample, qids[:dimension], rehearse, k, seed)
                    if gain is None and is_stopped():
                        return
                    yield DimensionRun(
                        size=size, seed=seed, k=k, dimension=dimension, gain=gain, reason=reason
                    )


def _tried(
    sample: Records, qids: tuple[str, ...], rehearse: RehearsedGain, k: int, seed: int
) -> tuple[Gain | None, str]:
    try:
        gain = rehearse(sample, qids, k, seed)
    except NotMeasurable as reason:
        return None, str(reason)
    if 0 < gain.smallest_after < k:
        return None, f"it leaves a class of {gain.smallest_after}, fewer than k = {k}"
    if not gain.smallest_after:
        return None, "it suppresses every record"
    return gain, ""


def _chosen(runs: Sequence[DimensionRun], size: Size, k: int, dimensions: int) -> ChosenDimension:
    """Return the choice of the samples of one size that are whole."""
    by_seed: dict[int, list[DimensionRun]] = {}
    for run in runs:
        if (run.size, run.k) == (size, k):
            by_seed.setdefault(run.seed, []).append(run)
    choices = {}
    whole = {seed: some for seed, some in by_seed.items() if len(some) == dimensions}
    for seed, some in whole.items():
        choice = choose({r.dimension: (r.gain.privacy_gain, r.gain.kept) for r in some if r.gain is not None})
        if choice is not None:
            choices[seed] = choice
    votes = Counter(choice.dimension for choice in choices.values())
    return ChosenDimension(
        size=size,
        k=k,
        dimension=min(votes, key=lambda d: (-votes[d], d)) if votes else None,
        shares={d: votes[d] / len(whole) for d in sorted(votes)},
        choices=choices,
        missing=tuple(sorted({r.dimension for some in whole.values() for r in some if r.gain is None})),
    )


def _check(qids: Sequence[str], k: Sequence[int], sizes: Sequence[Size], seeds: int, seed: int) -> None:
    if not qids:
        raise UserError("the dimension is sought among at least one quasi-identifier, and there is none")
    if len(set(qids)) < len(qids):
        raise UserError("a quasi-identifier is named twice; name each once")
    if not k or not sizes:
        raise UserError("the dimension is sought for at least one k and one size of sample")
    for one in k:
        if one < 2:  # noqa: PLR2004 - a class of one is no anonymity
            raise UserError(f"k must be at least 2, not {one}")
    if len(set(k)) < len(k) or len(set(sizes)) < len(sizes):
        raise UserError("a k or a size of sample is named twice; name each once")
    if seeds < 1 or seed < 0:
        raise UserError(f"at least one sample is drawn, by a seed of at least 0; not {seeds} by {seed}")
