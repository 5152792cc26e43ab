"""QIR's choice beside SQI's over several k and sizes of data (Mansour et al. 2021, section 4.3)."""

from collections.abc import Iterator, Mapping, Sequence

from qidguard.sdk import MemoryRecords, NotMeasurable, Progress, Records, UserError
from qidguard_qir.compared_choices import ChoiceComparison, ComparedRun
from qidguard_qir.dimension import collected
from qidguard_qir.dimensions import Size
from qidguard_qir.gain import RehearsedGain

COMPARED_K = (4, 6, 10, 17, 20, 26, 29, 35)
"""The k that the paper speaks of beside Figures 7 and 8."""
COMPARED_SIZES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The sizes of data of Figures 9 and 10."""
SIZES_K = (10, 20)
"""The k of Figures 9 and 10."""


def compare_in(  # noqa: PLR0913 - each argument is one decision about the comparison
    records: MemoryRecords,
    choices: Mapping[str, Sequence[str]],
    rehearse: RehearsedGain,
    *,
    qids: Sequence[str],
    k: Sequence[int] = COMPARED_K,
    sizes: Sequence[Size] = COMPARED_SIZES,
    sizes_k: Sequence[int] = SIZES_K,
    seed: int = 0,
    progress: Progress | None = None,
) -> ChoiceComparison:
    """Return what anonymizing each choice of columns wins and costs, over k and over sizes of the data.

    Mansour et al. 2021, section 4.3, measure each choice over its own columns: PG of one column says nothing
    of an attacker who knows two. So PG is also measured for one who knows all quasi-identifiers.

    Args:
        records: The records; they stay as they are.
        choices: Name → the columns that are anonymized, at least one.
        rehearse: Anonymizes records.
        qids: All quasi-identifiers.
        k: Smallest classes for the runs on all records, persons.
        sizes: Sizes of the data for the runs over sizes.
        sizes_k: Smallest classes for those.
        seed: Seeds samples and the anonymizer, ≥ 0.
        progress: Hears of finished runs. Once something is done, Ctrl-C ends it with that.

    Returns:
        A row for each choice, k and size; one that cannot be anonymized has the reason in place of figures.

    Units:
        PG and NUE in percent; k in persons.

    Raises:
        UserError: When there is no choice, an empty one, or a k below 2.
    """
    _check(choices, (*k, *sizes_k))
    named = {name: tuple(columns) for name, columns in choices.items()}
    known = tuple(dict.fromkeys((*qids, *(c for columns in named.values() for c in columns))))
    plan: list[tuple[str, Size, int]] = [(name, None, one) for one in k for name in named]
    first_of_sizes = len(plan)
    plan += [(name, size, one) for size in sizes for one in sizes_k for name in named]
    runs = collected(
        _runs(records, named, rehearse, plan, (known, seed)),
        len(plan),
        "comparing choices",
        progress=progress,
    )
    return ChoiceComparison(
        choices=named,
        qids=known,
        anonymizer=rehearse.label,
        records=records.records,
        by_k=tuple(runs[:first_of_sizes]),
        by_size=tuple(runs[first_of_sizes:]),
        asked=len(plan),
    )


def _runs(
    records: MemoryRecords,
    choices: Mapping[str, tuple[str, ...]],
    rehearse: RehearsedGain,
    plan: Sequence[tuple[str, Size, int]],
    asked: tuple[tuple[str, ...], int],
) -> Iterator[ComparedRun]:
    known, seed = asked
    drawn: tuple[Size, Records] = None, records
    for name, size, k in plan:
        if size != drawn[0]:
            drawn = size, records.sample(size, seed)
        try:
            gain, wide = rehearse.over(drawn[1], choices[name], k, seed, (choices[name], known))
        except NotMeasurable as reason:
            yield ComparedRun(choice=name, size=size, k=k, gain=None, reason=str(reason))
            continue
        if gain.smallest_after < k:
            said = f"it leaves a class of {gain.smallest_after}, fewer than k = {k}"
            yield ComparedRun(choice=name, size=size, k=k, gain=None, reason=said)
            continue
        yield ComparedRun(choice=name, size=size, k=k, gain=gain, gain_over_all=wide)


def _check(choices: Mapping[str, Sequence[str]], k: Sequence[int]) -> None:
    if not choices:
        raise UserError("a comparison needs at least one choice of columns")
    for name, columns in choices.items():
        if not columns:
            raise UserError(f"the choice {name!r} holds no column, so there is nothing to anonymize")
    for one in k:
        if one < 2:  # noqa: PLR2004 - a class of one is no anonymity
            raise UserError(f"k must be at least 2, not {one}")
