"""Thresholds over quasi-identifiers that noise was drawn for: over which columns each is measured."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.demands import Demand
from qidguard.core.noised import NoisedCombination, NoisedQids, NoisedReading, noise_words, odds_words
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.rendering.printable import listed, shown_name

if TYPE_CHECKING:
    from qidguard.policy import Policy
    from qidguard.policy.threshold import Threshold

NOTHING_LEFT = (
    "noise was drawn for every quasi-identifier that it is over, and the policy leaves those out, so nothing"
    " is left to measure; add one without noise, or write noised: as_published"
)
OF_POPULATION = (
    "values with noise cannot be looked up in a population, which has none; write noised: left_out to measure"
    " it over the quasi-identifiers without noise"
)
OF_SENSITIVE = (
    "noise was drawn for the sensitive attribute itself, and values that differ by noise alone would pass for"
    " diversity; draw none for it"
)


def with_noise(asked: Iterable[Demand], noised: Collection[str]) -> tuple[Demand, ...]:
    """Return what is asked of a table whose ``noised`` columns have noise.

    A loss is asked as it is: it is about what users lose, and not about what an attacker knows. So is what is
    measured over columns that are no quasi-identifiers.
    """
    columns = frozenset(noised)
    return tuple(_read(demand, columns) for demand in asked) if columns else tuple(asked)


def _read(demand: Demand, noised: frozenset[str]) -> Demand:
    question = demand.question
    metric = question.metric
    if metric.needs_original or metric.needs_rest:
        return demand
    found = tuple(qid for qid in question.qids if qid in noised)
    refusal = OF_SENSITIVE if metric.is_sensitive and question.attribute in noised else ""
    if not found:
        return replace(demand, question=replace(question, refusal=refusal)) if refusal else demand
    if demand.reading is NoisedReading.AS_PUBLISHED:
        refusal = refusal or (OF_POPULATION if metric.needs_population else "")
        told = NoisedQids(over=question.qids, as_published=found)
        return replace(demand, question=replace(question, noised=told, refusal=refusal))
    left = tuple(qid for qid in question.qids if qid not in noised)
    told = NoisedQids(over=left, left_out=found)
    if not left:
        # it keeps its columns, so that reports can say over which nothing was measured
        return replace(demand, question=replace(question, noised=told, refusal=refusal or NOTHING_LEFT))
    knows = None if question.knows_any is None else min(question.knows_any, len(left))
    read = replace(question, qids=left, knows_any=knows, noised=told, refusal=refusal)
    return replace(demand, question=read)


def noised_combinations(
    guarantee: PrivacyGuarantee | None, combinations: Mapping[str, tuple[str, ...]], asked: Sequence[Demand]
) -> tuple[NoisedCombination, ...]:
    """Return each QID combination with noise, and a sentence on what can be learned and what was measured.

    Args:
        guarantee: What the noise guarantees; None where none was drawn.
        combinations: Name → columns.
        asked: What is asked, as ``with_noise`` returns it.
    """
    if guarantee is None:
        return ()
    found = []
    for name, qids in combinations.items():
        noised = tuple(qid for qid in qids if qid in guarantee.columns)
        if noised:
            of = [d for d in asked if d.limit.combination == name and d.question.noised is not None]
            told = [*noise_words(guarantee, noised), *_readings(guarantee, noised, of)]
            subject = f"Noise was drawn for {listed(noised)} of the QID combination {shown_name(name)}"
            sentence = f"{subject}: {'; '.join(told)}."
            found.append(NoisedCombination(combination=name, qids=qids, noised=noised, sentence=sentence))
    return tuple(found)


def _readings(guarantee: PrivacyGuarantee, noised: tuple[str, ...], asked: Sequence[Demand]) -> Iterator[str]:
    """Yield over which columns which limits were measured, and what that leaves open."""
    for over, metrics in _by_columns(asked, NoisedReading.AS_PUBLISHED).items():
        yield (
            f"{listed(metrics)} {_is(metrics)} measured over {listed(over)}, noised values as published, as"
            " if an attacker knew those"
        )
    for over, metrics in _by_columns(asked, NoisedReading.LEFT_OUT).items():
        if not over:
            yield f"{listed(metrics)} cannot be measured, since nothing is left without noise"
            continue
        odds, says = odds_words(guarantee, noised), "says" if len(metrics) == 1 else "say"
        yield (
            f"{listed(metrics)} {_is(metrics)} measured over {listed(over)} only, and {says} nothing of an"
            f" attacker who knows {listed(noised)}, too" + (f": {odds}" if odds else "")
        )


def _by_columns(asked: Sequence[Demand], reading: NoisedReading) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that limits are measured over → their metrics."""
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for demand in asked:
        noised = demand.question.noised
        if demand.reading is reading and noised is not None:
            found.setdefault(noised.over, {})[demand.question.metric.name] = None
    return {over: tuple(metrics) for over, metrics in found.items()}


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def left_out_words(policy: "Policy", *, draws_noise: bool) -> Iterator[str]:
    """Yield what it means that thresholds leave columns with noise out; nothing where none does."""
    left = [t for t in _thresholds(policy) if t.reading is NoisedReading.LEFT_OUT]
    if not left:
        return
    metrics = listed(tuple(dict.fromkeys(t.metric for t in left)))
    if draws_noise:
        yield f"{metrics} will be measured without QIDs that noise is drawn for, and say nothing of them."
    else:
        yield from unread_note(policy, draws_noise=False)


def _thresholds(policy: "Policy") -> "tuple[Threshold, ...]":
    return (*policy.thresholds, *(t for c in policy.combinations for t in c.thresholds))


def unread_note(policy: "Policy", *, draws_noise: bool) -> tuple[str, ...]:
    """Return that thresholds which leave noised columns out are over all columns in a table without noise."""
    count = sum(threshold.reading is NoisedReading.LEFT_OUT for threshold in _thresholds(policy))
    if not count:
        return ()
    why = "no noise was drawn for this table yet" if draws_noise else "no remedy of the policy draws noise"
    what = "1 threshold leaves" if count == 1 else f"{count:,} thresholds leave"
    are = "it is" if count == 1 else "they are"
    return (f"{what} QIDs with noise out, and {why}: {are} measured over all of them.",)
