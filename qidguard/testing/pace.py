"""A method that works for long tells where it stands, so that people can wait and can stop it."""

from collections.abc import Iterator

from qidguard.testing.trial import Trial
from qidguard.testing.violation import Violation

LONGEST_SILENCE_SECONDS = 2.0


def pace(trial: Trial) -> Iterator[Violation]:
    """Yield a violation where a run was silent for too long."""
    silence_seconds = trial.listener.silence_seconds
    if silence_seconds > LONGEST_SILENCE_SECONDS:
        yield Violation(
            check="pace",
            sample=trial.sample.name,
            sentence=f"{silence_seconds:.1f} s passed without a step of progress, at most"
            f" {LONGEST_SILENCE_SECONDS:g} s may; call task.progress.step more often",
        )
