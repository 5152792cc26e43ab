"""Noise as it is drawn: by the seed in a rehearsal, by nothing that anybody knows in a real run."""

from collections.abc import Iterator
from dataclasses import replace

from qidguard.sdk import NotMeasurable
from qidguard_testing.checks.guaranteed import ENOUGH_RECORDS, ask
from qidguard_testing.determinism import content
from qidguard_testing.sample import Sample
from qidguard_testing.subject import Subject
from qidguard_testing.trial import KitTrial, tried
from qidguard_testing.violation import Violation

CHECK = "noise"


def real_noise(subject: Subject, sample: Sample) -> Iterator[Violation]:
    """Yield a violation where rehearsals ignore the seed, or real runs know one.

    Two real runs with the same seed must differ, and only in the columns that the guarantee names. A table of
    fewer than 20 records, and an anonymizer that draws no noise, are passed over.

    Args:
        subject: What is tested.
        sample: The table.

    Raises:
        KeyboardInterrupt: When the user interrupts.
    """
    if not subject.is_rehearsed:
        return
    for sentence in _sentences(subject, sample):
        yield Violation(check=CHECK, sample=sample.name, sentence=sentence)


def _sentences(subject: Subject, sample: Sample) -> Iterator[str]:
    with tried(subject, sample) as one, tried(replace(subject, seed=subject.seed + 1), sample) as other:
        if not one.is_published or one.source.records < ENOUGH_RECORDS:
            return
        try:
            named = set(ask(one).columns)
        except (NotMeasurable, AttributeError):
            return  # that is told by the check of what it guarantees
        if other.is_published and content(one) == content(other):
            yield "a rehearsal with another seed comes to the same; draw by the task's seed"
    real = replace(subject, is_real=True)
    with tried(real, sample) as one, tried(real, sample) as other:
        for trial in (one, other):
            if not trial.is_published:
                why = trial.refusal or trial.said_by_host or "nothing was published"
                yield f"a real run fails where a rehearsal does not: {why}"
                return
        yield from _differing(one, other, named)


def _differing(one: KitTrial, other: KitTrial, named: set[str]) -> Iterator[str]:
    if content(one) == content(other):
        yield "two real runs with the same seed come to the same; whoever guesses the seed takes noise away"
        return
    if one.receipt is None or one.receipt.new_table is not None:
        return  # all of it is drawn
    if one.published.records != other.published.records:
        yield "two real runs suppress other records; let noise decide nothing that no guarantee names"
        return
    bare = [name for name in one.published.names if name not in named]
    odd = [name for name in bare if _cells(one, name) != _cells(other, name)]
    if odd:
        yield (
            f"two real runs differ in {', '.join(odd)}, which the guarantee does not name; name every column"
            " that noise is drawn for, or that depends on noise"
        )


def _cells(trial: KitTrial, name: str) -> list[str | None]:
    column = trial.published.column(name)
    return [column.texts[code] for code in column.codes]
