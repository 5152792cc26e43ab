import io
import sys

from qidguard.interfaces.progress_bar import ProgressBar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_a_title_that_changes_behind_its_colon_stays_one_line(monkeypatch):
    """The best fitness so far moves on within the search's line; other work has a line of its own."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar() as bar:
        bar.step("loading", 1, 1)
        bar.step("greedy search", 0, 3)
        bar.step("greedy search: best 0.1234", 1, 3)
        bar.step("greedy search: best 0.9312", 2, 3)
        bar._progress.refresh()
        shown = [task for task in bar._progress.tasks if task.visible]
    assert [(task.description, task.completed) for task in shown] == [("greedy search: best 0.9312", 2)]
    assert "greedy search: best 0.9312" in stream.getvalue()
