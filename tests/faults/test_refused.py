"""What the operating system refuses: each cause by its name, in one sentence, and never an endless wait."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import POLICY, shell
from qidguard.core.errors import MemoryLimitError, UserError
from qidguard.core.system import open_plain, refused
from qidguard.interfaces.cli import main
from quick import mostly_slow
from releases import people

LONG = "x" * 300
DEEP = "/".join(["y" * 200] * 30)
HIERARCHIES = "hierarchies: {sex: {file: pipe}}\nremedy: {anonymizer: mondrian}\n"
RELEASE = ("release", "t.csv", "-p", "p.yaml", "--to", "out")


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    """Have a table, its policy and a pipe to which nobody writes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QIDGUARD_DEBUG", raising=False)
    people().to_csv("t.csv", index=False)
    Path("p.yaml").write_text(POLICY, encoding="utf-8")
    Path("h.yaml").write_text(POLICY + HIERARCHIES, encoding="utf-8")
    Path("n.yaml").write_text(POLICY + "source: {path: ~nobody-x/t.csv}\n", encoding="utf-8")
    os.mkfifo("pipe")


@pytest.mark.samples(6)
@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("audit", "t.csv", "-p", "pipe"), "pipe or a device"),
        (("verify", ".", "--unsigned", "--policy", "pipe"), "pipe or a device"),
        (("gx", "export", "pipe"), "pipe or a device"),
        (("anonymize", "t.csv", "-p", "h.yaml", "--to", "o.csv"), "pipe or a device"),
        (("audit", "pipe", "-p", "p.yaml"), "neither a file nor a folder"),
        (("audit", "t.csv", "-p", "."), "this is a folder"),
        (("audit", ".", "-p", "p.yaml"), "holds no Parquet file"),
        ((*RELEASE, "--ledger", "."), "is a folder"),
        ((*RELEASE, "--ledger", LONG), "File name too long"),
        ((*RELEASE, "--ledger", f"{DEEP}/l.db"), "File name too long"),
        (("history", "--ledger", LONG), "File name too long"),
        (("release", "t.csv", "-p", "p.yaml", "--to", LONG), "is no path of this machine"),
        (("release", "t.csv", "-p", "p.yaml", "--to", DEEP), "is no path of this machine"),
        (("audit", "t.csv", "-p", "p.yaml", "-o", LONG), "File name too long"),
        (("audit", "t.csv", "-p", LONG), "File name too long"),
        (("audit", LONG, "-p", "p.yaml"), "does not exist"),
        (("init", "~nobody-x"), "no home folder '~nobody-x'"),
        (("init", "a\0b"), "no NUL"),
        (("audit", "-p", "n.yaml"), "no home folder '~nobody-x'"),
        (("audit", "t.csv", "-p", "p.yaml", "--columns", "a\nb"), "names with commas between them"),
        (("policy", "init", "t.csv", "--encoding", ""), "The encoding '' is not known"),
        (("hierarchy", "show", "t.csv", "--delimiter", "json"), "separated by one character"),
    ],
)
def test_what_is_no_file_is_said(capsys, arguments, words):
    """A pipe, a folder, a name that is too long: exit 2, at once."""
    code = main(arguments)
    said = capsys.readouterr()
    assert (code, words in said.err) == (2, True), said
    assert "Traceback" not in said.err
    assert said.err.count("Error: ") == 1


def test_a_ledger_deeper_than_sqlite_takes_is_said(capsys):
    """The system allows 600 characters and SQLite 512: the cause is the length, not the rights."""
    code = main((*RELEASE, "--ledger", "/".join(["y" * 100] * 6) + "/l.db"))
    assert (code, "SQLite takes no path this long" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/a"), UserError, "'/a' (No space left on device)"),
        (OSError(errno.EMFILE, "Too many open files"), UserError, "ulimit -n"),
        (MemoryError(), MemoryLimitError, "ulimit -v"),
    ],
)
def test_an_error_of_the_system_that_nobody_foresaw_has_its_cause(monkeypatch, capsys, error, kind, words):
    """Not an internal error without words: exit 2 and what the system said."""
    assert isinstance(refused(error), kind)

    def fail(_):
        raise error

    monkeypatch.setattr("qidguard.policy.load_policy", fail)
    assert main(("audit", "t.csv", "-p", "p.yaml")) == 2
    assert words in capsys.readouterr().err
    assert refused(ValueError("a secret")) is None


def test_a_plain_file_is_opened(tmp_path):
    """And read to its end, as any."""
    (tmp_path / "a").write_bytes(b"abc")
    with open_plain(tmp_path / "a") as file:
        assert file.read() == b"abc"


LIMITS = [
    ("-v 400000", "The system gives this process 410 MB of memory"),
    ("-f 60", "would be larger than this process may write while copying"),
    ("-f 8", "ledger.db cannot be used: its disk fails or a limit on file sizes is reached"),
]


@pytest.mark.parametrize(("limit", "words"), mostly_slow(LIMITS))
def test_a_limit_of_the_process_is_named(limit, words):
    """Whatever the shell sets: exit 2, or 3 of the ledger, no signal, and nothing is published."""
    people(groups=40, size=60).to_csv("t.csv", index=False)
    done = shell(f"ulimit {limit}; qidguard {' '.join(RELEASE)} | cat; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, words in done.stderr) == (3 if "ledger" in words else 2, True), done.stderr
    assert not list(Path().glob("out/people/[!.]*"))


@pytest.mark.slow
def test_a_spill_that_does_not_fit_is_no_fault_of_the_file():
    """Sorting many records in 64 MB spills; what the system refuses there was called an unreadable file."""
    code = """
import resource, sys
import numpy as np, pandas as pd
from qidguard.interfaces.cli import main
n = 600_000
pd.DataFrame({"age": np.arange(n) % 90, "sex": [f"s{i * i}" for i in range(n)], "illness": "flu",
              "name": "x", "person": np.arange(n)}).to_csv("big.csv", index=False)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
sys.exit(main(["audit", "big.csv", "-p", "p.yaml", "-q", "--memory-limit", "64MB"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=250
    )
    assert done.returncode == 2
    assert "would be larger than this process may write" in done.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1 << 20
