"""Hold an anonymizer against everything that its protocol says."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from qidguard.sdk import Anonymizer
from qidguard_testing.checks import CHECKS
from qidguard_testing.determinism import in_fresh_process, reordered, repeated
from qidguard_testing.interruption import interruption
from qidguard_testing.real_noise import real_noise
from qidguard_testing.sample import Sample, large, types
from qidguard_testing.samples import SAMPLES, plain, text
from qidguard_testing.subject import HierarchyMaker, Subject, make_subject
from qidguard_testing.trial import KitTrial, tried
from qidguard_testing.violation import Violation

K = MappingProxyType({"k_anonymity": 3})
"""What is asked where a caller says nothing: classes of three persons."""


def check_anonymizer(
    anonymizer: Anonymizer,
    arguments: Mapping[str, Any] | None = None,
    *,
    claims: Mapping[str, float] = K,
    is_order_free: bool | None = None,
    hierarchy: HierarchyMaker | None = None,
    samples: Sequence[Sample] | None = None,
    is_thorough: bool = True,
) -> list[Violation]:
    """Run an anonymizer on made-up tables, by the way that a release goes, and return what is wrong.

    Args:
        anonymizer: The anonymizer.
        arguments: Parameter name → value, as a policy would give them.
        claims: Metric's name → the limit that the tasks ask for, by default a k-anonymity of 3, of persons
            where a table has an entity; what the method itself claims is measured besides. A method that
            reaches no limit takes none.
        is_order_free: Whether the order of the records decides nothing; None takes the anonymizer's own
            ``is_order_free``, and no where it has none.
        hierarchy: Makes the hierarchy of a column; None gives the anonymizer none.
        samples: The tables; None takes those of the kit.
        is_thorough: Whether it also runs in a process of its own and on 100,000 records.

    Returns:
        What is wrong; empty where nothing is.

    Units:
        Limits are in the units of their metrics.

    Raises:
        UserError: For a wrong argument of the anonymizer, or a metric that there is not.

    NULL, a single record, a table of one class, and one without two alike are among the tables of the kit.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import Anonymized
        >>> class AsItIs:
        ...     name, title, parameters = "as_it_is", "each record as it is", ()
        ...
        ...     def anonymize(self, records, arguments, task):
        ...         return Anonymized(kept=np.ones(records.records, dtype=bool))
        >>> check_anonymizer(AsItIs(), claims={}, samples=[plain()], is_thorough=False)
        []
    """
    subject = make_subject(
        anonymizer, arguments or {}, claims, is_order_free=is_order_free, hierarchy=hierarchy
    )
    tables = [make() for make in SAMPLES] if samples is None else list(samples)
    found = [violation for sample in tables for violation in check_sample(subject, sample)]
    for sample in tables[:1]:
        found += interruption(subject, sample)
        found += real_noise(subject, sample)
    if is_thorough:
        found += in_fresh_process(subject, [plain(), text(), types()] if samples is None else tables)
        if samples is None:
            found += check_large(subject)
    return found


def check_sample(subject: Subject, sample: Sample) -> list[Violation]:
    """Return what is wrong on one table: everything that one run shows, and whether others come to the same.

    Args:
        subject: What is tested.
        sample: The table.

    Raises:
        KeyboardInterrupt: When the user interrupts.
    """
    with tried(subject, sample) as trial:
        return [*_checked(trial), *repeated(trial), *reordered(trial)]


def check_large(subject: Subject, make: Callable[[], Sample] = large) -> list[Violation]:
    """Return what is wrong on 100,000 records: what one run shows, its pace, and Ctrl-C.

    Args:
        subject: What is tested.
        make: Makes the table.

    Raises:
        KeyboardInterrupt: When the user interrupts.
    """
    sample = make()
    # first what counts no seconds: by then all code is compiled
    interrupted = list(interruption(subject, sample))
    with tried(subject, sample) as trial:
        return [*_checked(trial), *pace(trial), *interrupted]


def _checked(trial: KitTrial) -> Iterator[Violation]:
    for check in CHECKS:
        for sentence in check(trial):
            yield Violation(check=check.__name__, sample=trial.sample.name, sentence=sentence)


LONGEST_SILENCE_SECONDS = 2.0


def pace(trial: KitTrial) -> Iterator[Violation]:
    """Yield a violation where a run was silent for too long."""
    silence_seconds = trial.listener.silence_seconds
    if silence_seconds > LONGEST_SILENCE_SECONDS:
        yield Violation(
            check="pace",
            sample=trial.sample.name,
            sentence=f"{silence_seconds:.1f} s passed without a step of progress, at most"
            f" {LONGEST_SILENCE_SECONDS:g} s may; call task.progress.step more often",
        )
