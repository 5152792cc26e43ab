"""What the command writes to: a result that nobody can read is no pass, and lost remarks change nothing."""

import os
from pathlib import Path

import pytest

from command_line import POLICY, shell
from quick import mostly_slow
from releases import people, verified

AUDIT = "audit t.csv -p p.yaml -q"


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    """Have a table that passes and its policy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QIDGUARD_DEBUG", raising=False)
    people().to_csv("t.csv", index=False)
    Path("p.yaml").write_text(POLICY, encoding="utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("command", mostly_slow(["schema audit", AUDIT, f"{AUDIT} --format json", "--help"]))
def test_a_result_on_a_full_disk_is_no_pass(command):
    """Exit 2 and the cause, in one sentence."""
    done = shell(f"qidguard {command} > /dev/full")
    words = "The result cannot be written to standard output (No space left on device); send it elsewhere."
    assert (done.returncode, done.stderr) == (2, f"Error: {words}\n")


@pytest.mark.parametrize("command", mostly_slow([AUDIT, "release t.csv -p p.yaml --to out --release-id r1"]))
def test_without_standard_output_nothing_begins(command):
    """Exit 2, one sentence, and nothing is published that nobody could be told of."""
    done = shell(f"qidguard {command} >&-")
    assert (done.returncode, done.stderr) == (
        2,
        "Error: Standard output is closed, so no result can be given; send it somewhere.\n",
    )
    assert not Path("out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("where", mostly_slow(["2>/dev/full", "2>&-", "2>&- <&-"]))
def test_remarks_that_cannot_be_written_do_not_change_the_verdict(where):
    """The report is in its file and the table passed: exit 0, where it was 1 or 3 before."""
    done = shell(f"qidguard audit t.csv -p p.yaml --format json -o r.json {where}")
    assert (done.returncode, done.stdout) == (0, "")
    assert '"outcome": "passed"' in Path("r.json").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="as above")
@pytest.mark.parametrize("where", ["> /dev/full", "| true"])
def test_a_release_that_cannot_be_told_is_said_to_be_published(where):
    """It is there and verifies: not 0, and standard error says that it is published."""
    done = shell(
        f"set -o pipefail; qidguard release t.csv -p p.yaml --to out --release-id r1 {where}; exit $?"
    )
    assert done.returncode == (2 if "full" in where else 141)
    assert f"Release r1 of people is published at {Path('out/people/r1').absolute()}." in done.stderr
    assert verified(Path("out/people/r1")) == ()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["out", "report"])
def test_a_pipe_that_nobody_reads_is_said(kind):
    """A report for a pipe without a reader would wait for ever."""
    os.mkfifo("pipe")
    words = {"out": AUDIT, "report": f"{AUDIT} --format junit"}
    done = shell(f"qidguard {words[kind]} -o pipe")
    assert done.returncode == 2
    assert (
        done.stderr
        == "Error: --output 'pipe' cannot be written (No such device or address); name another file\n"
    )
