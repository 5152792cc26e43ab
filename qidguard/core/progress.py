"""Progress: how long work says where it stands."""

from typing import Protocol


class Progress(Protocol):
    """Hears of finished steps; must be quick, since it is called between measurements."""

    def step(self, title: str, done: int, total: int) -> None:
        """Hear that ``done`` of ``total`` steps (0 ≤ done ≤ total) of the work called ``title`` are finished.

        The first call of a piece of work says ``done=0``, the last one ``done=total``. ``title`` holds
        no value of the table. What stands in it after a first ``": "`` may change from call to call while
        the work stays the same, as in ``"greedy search: best 0.9312"``.
        """


class _Silence:
    """Hears and says nothing."""

    def step(self, title: str, done: int, total: int) -> None:
        """Do nothing."""


def tell(progress: Progress, sentence: str) -> None:
    """Say a sentence that must not be missed while work goes on, to a progress that has ``tell(sentence)``.

    Args:
        progress: Who hears of steps.
        sentence: The sentence; it holds no value of the table.

    Example:
        >>> tell(SILENT, "This charges the privacy budget.")
    """
    said = getattr(progress, "tell", None)
    if said is not None:
        said(sentence)


SILENT: Progress = _Silence()
"""The progress of those who do not want to hear."""
