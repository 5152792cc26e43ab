import os
import stat
from pathlib import Path

import pytest

from qidguard.core.errors import UserError
from qidguard.interfaces.screen import check_output, say, write_report


def test_a_report_replaces_the_old_one_with_usual_rights(tmp_path):
    """The file is whole or old, never half, and readable as the user's other files are."""
    path = tmp_path / "report.txt"
    path.write_text("old", encoding="utf-8")
    write_report("new ✓\n", str(path))
    assert path.read_text(encoding="utf-8") == "new ✓\n"
    assert list(tmp_path.iterdir()) == [path]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_dash_is_standard_output(capsys):
    """`-o -` writes where no -o would."""
    write_report("text\n", "-")
    assert capsys.readouterr().out == "text\n"


def test_a_device_is_written_and_not_replaced():
    """/dev/null stays a device."""
    write_report("text\n", os.devnull)
    assert not Path(os.devnull).is_file()


def test_a_file_that_cannot_be_written_is_an_error_in_words(tmp_path):
    """A folder that went away between the check and the end."""
    with pytest.raises(UserError, match="cannot be written"):
        write_report("text", str(tmp_path / "gone" / "report.txt"))


def test_an_output_may_not_be_an_input_by_another_name(tmp_path):
    """A link to the table is the table."""
    table = tmp_path / "table.csv"
    table.write_text("a\n1\n", encoding="utf-8")
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    with pytest.raises(UserError, match="overwrite what is read"):
        check_output(str(link), str(table), None)


def test_sentences_are_made_printable_line_by_line(capsys):
    """Lines stay lines; control characters do not act."""
    say("one\ntwo\x1b[2J")
    assert capsys.readouterr().err == "one\ntwo\\x1b[2J\n"
