"""Sentences on published columns that undo a generalization."""

from collections.abc import Sequence

from qidguard.core.report import ReadBack, Undone
from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.core.versions import ORDER_OF_RECORDS
from qidguard.rendering.figure import short_share
from qidguard.rendering.printable import listed, shown_name, visible
from qidguard.rendering.threshold import threshold_clause

K = "k_anonymity"
"""The metric whose limit is the size that a class must have."""

MOST_LINES = 5
"""Generalized QIDs that are written out in sentences; the JSON document holds them all."""

_MOST_FIGURES = 3
_MOST_NAMES = 5


def undone_sentence(undone: Undone) -> str:
    """Return what columns tell of a QID, or to whom they are known.

    Example:
        >>> undone_sentence(
        ...     Undone(
        ...         columns=("YEAR",),
        ...         qid="REFYEAR",
        ...         persons=90,
        ...         generalized=100,
        ...         precision=1.0,
        ...         is_undone=True,
        ...     )
        ... )
        'YEAR tells the original REFYEAR of 90 of 100 persons in whom it was generalized.'
    """
    columns, qid = read_words(undone.columns, undone.part), shown_name(undone.qid)
    columns = columns[0].upper() + columns[1:] if undone.part else columns
    many = len(undone.columns) > 1 and not undone.part
    if undone.kind == "finer":
        return f"{columns} {'determine' if many else 'determines'} {qid} and {'are' if many else 'is'} finer."
    if undone.kind == "known":
        whose = qid if undone.beside is None else f"{qid} and {shown_name(undone.beside)}"
        of_whom = "" if undone.persons == undone.generalized else _of_persons(undone)
        return f"{columns} {'are' if many else 'is'} known to whoever knows the original {whose}{of_whom}."
    subject = f"{columns} {'tell' if many else 'tells'}"
    if undone.is_undone:
        return f"{subject} the original {qid}{_of_persons(undone)} in whom it was generalized."
    share = short_share(undone.persons / undone.generalized) if undone.generalized else "0%"
    return (
        f"{subject} {qid} for {share} of the persons in whom it was generalized"
        f" ({short_share(undone.precision)} right)."
    )


def _of_persons(undone: Undone) -> str:
    return f" of {undone.persons:,} of {undone.generalized:,} persons"


def read_words(columns: Sequence[str], part: str) -> str:
    """Return what is read in columns.

    Example:
        >>> read_words(["born"], "year"), read_words(["wage", "rent"], "sum"), read_words(["year"], "")
        ('the year of born', 'the sum of wage and rent', 'year')
    """
    article = "" if part.startswith(("a ", "the ")) else "the "
    return f"{article}{visible(part)} of {together(columns)}" if part else together(columns)


def read_back_sentence(read: ReadBack, published: Sequence[ThresholdResult]) -> str:
    """Return what the policy's figures are once what columns tell is read back.

    ``published`` are the same thresholds over the table as it is published.
    """
    missed = [result for result in read.thresholds if not result.is_met]
    if not missed:
        kept = next((r for r in read.thresholds if _is_k(r)), None)
        also = "" if kept is None else f": k is {kept.measurement.value:,}"
        return f"With {together(read.columns)} read back every threshold still holds{also}."
    first = next((result for result in missed if _is_k(result)), None)
    parts = [] if first is None else [_k_words(first, read, published)]
    others = [result for result in missed if result is not first]
    parts += [threshold_clause(result) for result in others[:_MOST_FIGURES]]
    if len(others) > _MOST_FIGURES:
        parts.append(f"{len(others) - _MOST_FIGURES:,} more thresholds are missed")
    return f"With {together(read.columns)} read back, {'; '.join(parts)}."


def _k_words(result: ThresholdResult, read: ReadBack, published: Sequence[ThresholdResult]) -> str:
    value = result.measurement.value
    if value is None:
        return threshold_clause(result)
    before = next((r for r in published if same_question(r, result)), None)
    was = None if before is None else before.measurement.value
    rather = "" if was is None or was == value else f", not {was:,}"
    words = f"k is {value:,}{rather}"
    is_main = result.limit.combination == "default" and result.measurement.subsets == 1
    if not is_main or read.below is None:
        return words
    alone = "1 person is unique" if read.uniques == 1 else f"{read.uniques:,} persons are unique"
    stand = "stands" if read.below == 1 else "stand"
    return f"{words}: {alone}, {read.below:,} {stand} in classes below {result.limit.value:g}"


def _is_k(result: ThresholdResult) -> bool:
    return result.measurement.metric == K and result.limit.bound is Bound.AT_LEAST


def same_question(one: ThresholdResult, other: ThresholdResult) -> bool:
    """Return whether two results are of one threshold of a policy."""
    a, b = one.measurement, other.measurement
    return (
        one.limit == other.limit
        and (a.metric, a.sensitive) == (b.metric, b.sensitive)
        and dict(a.arguments) == dict(b.arguments)
    )


def read_back_aside(read: ReadBack) -> str:
    """Return what stands beside the heading of thresholds that were measured again."""
    tell = "tells" if len(read.columns) == 1 else "tell"
    what = f"the thresholds with what {together(read.columns)} {tell} of {together(read.qids)} in its place"
    return f"{what}; accepted" if read.is_accepted else what


def remedy_sentence(columns: Sequence[str]) -> str:
    """Return what may be done about columns that undo a generalization."""
    shuffle = ["Shuffle the records."] if ORDER_OF_RECORDS in columns else []
    others = [name for name in columns if name != ORDER_OF_RECORDS]
    if others:
        each, what = ("each ", "them") if len(others) > 1 else ("", "it")
        make = f"Make {together(others)} {each}a QID"
        shuffle.append(f"{make}, drop or coarsen {what}, or accept it in words.")
    return " ".join(shuffle)


def accepted_sentence(undone: Undone) -> str:
    """Return what is told, and in which words a person accepts it."""
    return f"{undone_sentence(undone)} It is accepted: {visible(undone.accepted or '').rstrip('. ')}."


def together(columns: Sequence[str]) -> str:
    """Return column names as one phrase.

    Example:
        >>> together(["YEAR"]), together(["a", "b"]), together(["a", "b", "c"])
        ('YEAR', 'a and b', 'a, b and c')
    """
    if len(columns) > _MOST_NAMES:
        return listed(columns, most=_MOST_NAMES)
    names = [name if name == ORDER_OF_RECORDS else shown_name(name) for name in columns]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
