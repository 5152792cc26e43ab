"""Progress is told as its protocol says: from 0 to the total, whatever the work is called."""

from collections.abc import Iterator

from qidguard.testing.trial import Trial


def progress(trial: Trial) -> Iterator[str]:
    """Yield what is wrong with the steps that were told."""
    for title, done, total in trial.listener.steps:
        if not (title and 0 <= done <= total):
            yield f"the step {title!r} tells {done} of {total}; tell 0 ≤ done ≤ total of work with a title"
            return
