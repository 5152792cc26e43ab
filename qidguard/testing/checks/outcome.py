"""A method reaches its target or says in a sentence that it cannot; it never just fails."""

import traceback
from collections.abc import Iterator
from pathlib import Path

from qidguard.core.errors import NotMeasurable
from qidguard.testing.trial import Trial

_SHORTEST_SENTENCE = 20


def outcome(trial: Trial) -> Iterator[str]:
    """Yield what is wrong with how a run ended."""
    if trial.error is not None:
        error = trial.error
        if trial.answer is None:
            frames = traceback.extract_tb(error.__traceback__)
            where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
            yield (
                f"it raised {type(error).__name__}: {error}{where}; raise NotMeasurable with a sentence where"
                " the task cannot be met"
            )
        # untouched_columns tells of a column that must not be changed
        elif "without declaring it" not in trial.said_by_host:
            yield f"the host refused its answer: {trial.said_by_host}"
    elif trial.refusal and trial.answer is None:
        yield from _sentence(trial.refusal)


def _sentence(text: str) -> Iterator[str]:
    if len(text) < _SHORTEST_SENTENCE or "\n" in text or not any(mark in text for mark in ";,:"):
        yield (
            f"{NotMeasurable.__name__} says {text!r}, and not in one sentence what is the rule, what the"
            " number and what the remedy"
        )
