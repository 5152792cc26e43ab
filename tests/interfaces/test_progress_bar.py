import io
import sys

import pytest

from qidguard.core.progress import SILENT, tell
from qidguard.interfaces.progress_bar import ProgressBar, progress_bar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(
    ("stream", "is_quiet", "is_shown"),
    [(Terminal(), False, True), (Terminal(), True, False), (io.StringIO(), False, False)],
)
def test_progress_is_for_terminals_that_did_not_ask_for_quiet(monkeypatch, stream, is_quiet, is_shown):
    """A pipe and --quiet hear nothing."""
    monkeypatch.setattr(sys, "stderr", stream)
    assert isinstance(progress_bar(is_quiet=is_quiet), ProgressBar) == is_shown


def test_a_bar_shows_the_work_and_goes_away(monkeypatch):
    """The title of each piece of work appears on standard error; markup in it is text."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar() as bar:
        bar.step("loading [red]", 0, 1)
        bar.step("measuring", 3, 10)
        bar._progress.refresh()
    assert "measuring" in stream.getvalue()
    assert "3/10" in stream.getvalue()


def test_silence_is_silent(capsys):
    """The default progress writes nothing."""
    SILENT.step("loading", 0, 1)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("is_quiet", [True, False])
def test_what_must_not_be_missed_is_on_standard_error(capsys, is_quiet):
    """Whether or not anybody looks at a bar; standard output stays clean."""
    with progress_bar(is_quiet=is_quiet) as progress:
        tell(progress, "ε = 1/2 is to be charged.")
    with ProgressBar() as bar:
        bar.tell("ε = 1 is to be charged.")
    said = capsys.readouterr()
    assert "ε = 1/2 is to be charged.\n" in said.err
    assert "ε = 1 is to be charged.\n" in said.err
    assert said.out == ""
