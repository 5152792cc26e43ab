"""Algorithm 2 and the comparison on a table, as Python calls."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qidguard.sdk import EngineSettings, MemoryRecords, NotMeasurable, Progress, ReadOptions, records_of
from qidguard_qir.classification import classify
from qidguard_qir.compared_choices import ChoiceComparison
from qidguard_qir.comparison import COMPARED_K, COMPARED_SIZES, SIZES_K, compare_in
from qidguard_qir.dimension import SAMPLE, SEEDS, SMALLEST_CLASSES, find_dimension_in
from qidguard_qir.dimensions import Dimensions, Size
from qidguard_qir.gain import ANONYMIZER, RehearsedGain
from qidguard_qir.sqi import ALGORITHMS, nominate, select


def find_dimension(  # noqa: PLR0913 - each argument is one decision about the search
    source: Any,
    qids: Sequence[str] | None = None,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    anonymizer: str = ANONYMIZER,
    k: Sequence[int] = SMALLEST_CLASSES,
    sizes: Sequence[Size] = (SAMPLE,),
    seeds: int = SEEDS,
    seed: int = 0,
    entity: str | None = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Dimensions:
    """Return how many of the quasi-identifiers of a table to anonymize (Mansour et al. 2021, Algorithm 2).

    See ``find_dimension_in`` for the formula and what is chosen.

    Args:
        source: The table, as ``qidguard.audit`` takes it, or an opened one. It is never changed.
        qids: The quasi-identifiers; they join in the order of falling risk. None takes those that
            ``classify`` finds by their risk.
        alpha: For that, the risk in percent above which a column is sensitive; None proposes both.
        beta: For that, the risk in percent from which a column is a quasi-identifier.
        anonymizer: An installed one by name, parameters in brackets; it gets k as the limit to reach.
        k: Smallest classes, persons, each ≥ 2.
        sizes: Sizes of samples: shares 0..1 (floats), numbers of persons (ints), or None for all.
        seeds: Samples for each size, ≥ 1.
        seed: The first seed.
        entity: The column whose values are the persons, where a person has several records.
        read: How the source is read.
        settings: Memory limit and threads.
        progress: Hears of finished rehearsals.
        is_stopped: Asked before each rehearsal whether to stop.

    Returns:
        The figures of every dimension, the choice for each k and size, and its stability.

    Units:
        PG and NUE in percent; k in persons.

    Raises:
        DataError: When the source cannot be read without guessing, or has no records or no such column.
        UserError: When another argument is wrong, or there is no such anonymizer.
        PluginError: When the anonymizer fails.

    NULL is a value of its own; a single quasi-identifier has the dimension 1.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [n % 40 for n in range(400)], "sex": ["f", "m"] * 200})
        >>> found = find_dimension(table, ["sex", "age"], k=[2], sizes=[0.5], seeds=2)
        >>> found.qids, len(found.runs)
        (('age', 'sex'), 4)
    """
    wanted = _wanted(source, qids, (alpha, beta), entity=entity, read=read, settings=settings)
    records = records_of(source, wanted, entity=entity, read=read, settings=settings)
    return find_dimension_in(
        records,
        wanted,
        RehearsedGain(label=anonymizer, entity=records.entity),
        k=k,
        sizes=sizes,
        seeds=seeds,
        seed=seed,
        progress=progress,
        is_stopped=is_stopped,
    )


def compare_choices(  # noqa: PLR0913 - each argument is one decision about the comparison
    source: Any,
    qids: Sequence[str] | None = None,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    others: Mapping[str, Sequence[str]] | None = None,
    nominated: Sequence[str] | None = None,
    anonymizer: str = ANONYMIZER,
    k: Sequence[int] = COMPARED_K,
    sizes: Sequence[Size] = COMPARED_SIZES,
    sizes_k: Sequence[int] = SIZES_K,
    seed: int = 0,
    entity: str | None = None,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    progress: Progress | None = None,
) -> tuple[Dimensions, ChoiceComparison]:
    """Return QIR's choice of columns beside SQI's (Mansour et al. 2021, section 4.3).

    QIR chooses by Algorithm 2 with its defaults. SQI chooses among nominated attributes by both of its
    algorithms. Then each choice is anonymized over several k and sizes of the data.

    Args:
        source: The table, as ``qidguard.audit`` takes it, or an opened one. It is never changed.
        qids: The quasi-identifiers that QIR chooses from. None takes those that ``classify`` finds.
        alpha: For that, the risk in percent above which a column is sensitive; None proposes both.
        beta: For that, the risk in percent from which a column is a quasi-identifier.
        others: Name → columns of further choices.
        nominated: What SQI chooses from, at most ten; None nominates the eight of the most distinct values.
        anonymizer: An installed one by name, parameters in brackets.
        k: Smallest classes on all records, persons.
        sizes: Sizes of the data for the runs over sizes.
        sizes_k: Smallest classes for those.
        seed: Seeds samples and the anonymizer.
        entity: The column whose values are the persons.
        read: How the source is read.
        settings: Memory limit and threads.
        progress: Hears of finished runs.

    Returns:
        What Algorithm 2 found, and the comparison.

    Units:
        PG and NUE in percent; k in persons.

    Raises:
        DataError: When the source cannot be read without guessing, or has no records or no such column.
        UserError: When another argument is wrong.
        NotMeasurable: When Algorithm 2 chooses nothing, since no dimension can be anonymized.
        PluginError: When the anonymizer fails.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [n % 40 for n in range(400)], "sex": ["f", "m"] * 200})
        >>> _, found = compare_choices(table, ["sex", "age"], k=[2], sizes=[], others={"mine": ["sex"]})
        >>> list(found.choices)
        ['QIR', 'SQI selective', 'SQI decompose', 'mine']
    """
    asked = _wanted(source, qids, (alpha, beta), entity=entity, read=read, settings=settings)
    further = {} if others is None else {name: tuple(columns) for name, columns in others.items()}
    wanted = (*asked, *(nominated or ()), *(name for columns in further.values() for name in columns))
    records = records_of(source, tuple(dict.fromkeys(wanted)), entity=entity, read=read, settings=settings)
    rehearse = RehearsedGain(label=anonymizer, entity=records.entity)
    dimensions = find_dimension_in(records, asked, rehearse, seed=seed, progress=progress)
    if dimensions.is_interrupted:
        raise KeyboardInterrupt  # nothing was compared yet
    if not dimensions.quasi_identifiers:
        raise NotMeasurable(
            f"QIR chooses nothing, since no dimension can be anonymized: {dimensions.runs[0].reason}"
        )
    found = compare_in(
        records,
        {
            "QIR": dimensions.quasi_identifiers,
            **_selected(records, nominated or nominate(records, asked)),
            **further,
        },
        rehearse,
        qids=asked,
        k=k,
        sizes=sizes,
        sizes_k=sizes_k,
        seed=seed,
        progress=progress,
    )
    return dimensions, found


def _wanted(
    source: Any,
    qids: Sequence[str] | None,
    thresholds: tuple[float | None, float | None],
    *,
    entity: str | None,
    read: ReadOptions | None,
    settings: EngineSettings | None,
) -> tuple[str, ...]:
    """Return the quasi-identifiers that are named, else those by their risk; NotMeasurable without any."""
    if qids is not None:
        return tuple(qids)
    alpha, beta = thresholds
    found = classify(source, alpha=alpha, beta=beta, entity=entity, read=read, settings=settings)
    if not found.quasi_identifiers:
        raise NotMeasurable("no column has a risk between beta and alpha; name the quasi-identifiers")
    return found.quasi_identifiers


def _selected(records: MemoryRecords, nominated: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {
        f"SQI {algorithm}": select(records, nominated, algorithm=algorithm).quasi_identifiers
        for algorithm in ALGORITHMS
    }
