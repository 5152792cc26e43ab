"""Facts that only a process of its own can show."""

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version

import pytest

from quick import mostly_slow

HEAVY = (
    *("pandas", "duckdb", "numpy", "sklearn", "scipy", "matplotlib", "altair", "plotly", "pydantic"),
    *("ruamel", "rich", "pyarrow", "polars", "fsspec", "airflow", "great_expectations"),
)
LOOK = f"""
import sys
from qidguard.interfaces.cli import main
code = main(sys.argv[1:])
print("heavy:", sorted(set({HEAVY!r}) & set(sys.modules)), "code:", int(code))
"""


def process(*command: str, **options) -> subprocess.CompletedProcess:
    """Run a command to its end."""
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=250, **options
    )


def qidguard(*arguments: str, **options) -> subprocess.CompletedProcess:
    """Run the command line in a process of its own."""
    code = "import sys; from qidguard.interfaces.cli import main; sys.exit(main())"
    return process(sys.executable, "-c", code, *arguments, **options)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [
    ("--help",),
    ("--version",),
    ("audit", "--help"),
    ("policy", "--help"),
    ("policy", "init", "--help"),
    ("schema", "audit"),
])  # fmt: skip
def test_help_and_version_import_nothing_heavy(arguments):
    """No table library, database, plotting, validation or drawing library is loaded to say how to use it."""
    found = process(sys.executable, "-c", LOOK, *arguments)
    assert found.stdout.splitlines()[-1] == "heavy: [] code: 0", found.stderr


def test_the_version_is_the_installed_one():
    """`--version` says what is installed."""
    assert qidguard("--version").stdout == f"qidguard {version('qidguard')}\n"


def test_a_thread_that_a_plugin_leaves_does_not_keep_the_process():
    """The result was given, so the process ends with its code, and says what was left."""
    lines = (
        "import sys, threading, time",
        "threading.Thread(target=time.sleep, args=(3600,)).start()",
        "sys.argv = ['qidguard', '--version']",
        "from qidguard.interfaces.cli import main",
        "sys.exit(main())",
    )
    found = process(sys.executable, "-c", "\n".join(lines))
    assert (found.returncode, found.stdout[:9]) == (0, "qidguard ")
    assert "a plugin left a thread" in found.stderr


@pytest.mark.slow
def test_without_arguments_the_help_is_shown_and_nothing_passes():
    """No command is no pass: exit 2."""
    found = qidguard()
    assert found.returncode == 2
    assert "qidguard audit DATA" in found.stdout + found.stderr


@pytest.mark.slow
def test_an_ascii_terminal_gets_no_error(table):
    """A column name that the terminal cannot show is escaped."""
    with open(table, "a+", encoding="utf-8") as file:  # noqa: PTH123 - append in the test's own folder
        file.seek(0)
        text = file.read().replace("illness", "年齢")
    with open("other.csv", "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
        file.write(text)
    found = qidguard("audit", "other.csv", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (found.returncode, found.stderr) == (0, "")
    assert r"\u5e74\u9f62" in found.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes close differently there")
@pytest.mark.parametrize(
    "command",
    mostly_slow(["--help", "audit table.csv", "policy presets", "policy schema", "explain"], quick=2),
)
def test_a_closed_pipe_is_quiet_and_no_pass(table, command):
    """The reader is gone before anything is written: no message, and 141 as shells count SIGPIPE."""
    assert table == "table.csv"
    read_end, write_end = os.pipe()
    os.close(read_end)
    code = "import sys; from qidguard.interfaces.cli import main; sys.exit(main())"
    with os.fdopen(write_end, "wb") as pipe:
        found = subprocess.run(
            [sys.executable, "-c", code, *command.split()],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
            timeout=250,
        )
    assert (found.returncode, found.stderr) == (141, b"")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_ends_the_process_with_130(tmp_path):
    """A signal during the work, as the keyboard sends it."""
    script = tmp_path / "slow.py"
    script.write_text(
        "import sys, time\n"
        "import qidguard.auditing\n"
        "def slow(*a, **o):\n"
        "    print('working', flush=True)\n"
        "    time.sleep(30)\n"
        "qidguard.auditing.audit = slow\n"
        "from qidguard.interfaces.cli import main\n"
        "sys.exit(main(['audit', 'x.csv']))\n",
        encoding="utf-8",
    )
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "working\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=250)
    assert (child.returncode, err) == (130, "Interrupted before the end.\n")
