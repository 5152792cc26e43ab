"""Tests of the guard around the code of plugins: owner, silence, output, and an end."""

import ast
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.guard import BudgetOverrun, PluginCode
from qidguard.core.watchdog import LIMIT_VARIABLE, Watched, own_time

OWNER = "plugin 'x' of x-dist 1.0"


@pytest.fixture
def short(monkeypatch):
    """Let code of plugins run for half a second."""
    monkeypatch.setenv(LIMIT_VARIABLE, "0.5")


def spin() -> None:
    """Never return."""
    while True:
        pass


def sleep() -> None:
    """Not return for an hour."""
    time.sleep(3600)


def swallow() -> None:
    """Take an interruption for a fault of one's own, once."""
    try:
        spin()
    except BaseException:  # noqa: BLE001 - as careless plugins do
        spin()


@pytest.mark.parametrize("error", [KeyError("34"), SystemExit(0), GeneratorExit(), BaseException("34")])
def test_whatever_is_raised_is_a_fault_of_its_owner_without_a_value(error):
    """One set of exceptions for all that plugins do; an exit with 0 is no pass."""
    with pytest.raises(PluginError) as raised, PluginCode(OWNER, "metric 'm'"):
        raise error
    assert str(raised.value) == f"{OWNER}: metric 'm' failed with {type(error).__name__}; mend the plugin"
    assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    "error", [NotMeasurable("none"), UserError("wrong"), MemoryError(), KeyboardInterrupt()]
)
def test_what_is_said_on_purpose_passes(error):
    """An answer, a mistake of the user, a lack of memory and Ctrl-C are no fault."""
    with pytest.raises(type(error)), PluginCode(OWNER, "metric 'm'"):
        raise error


def test_a_fault_without_an_owner_is_given_one():
    """An engine cannot know whose SQL it runs; the innermost owner is named, once."""
    with pytest.raises(PluginError) as raised, PluginCode("outer", ""), PluginCode(OWNER, "metric 'm'"):
        raise PluginError.of_somebody("SQL failed")
    assert str(raised.value) == f"{OWNER}: SQL failed"


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("forever", [spin, sleep, swallow])
def test_code_that_hangs_in_the_main_thread_ends_at_the_limit(forever):
    """The error names the plugin, the limit and what raises it; without an end this test would have none."""
    began = time.monotonic()
    words = r"'x' of x-dist 1\.0: metric 'm' ran for more than 0\.5 seconds.*QIDGUARD_PLUGIN_SECONDS"
    with pytest.raises(PluginError, match=words), PluginCode(OWNER, "metric 'm'"):
        forever()
    assert time.monotonic() - began >= 0.5


@pytest.mark.usefixtures("short")
@pytest.mark.skipif(not hasattr(signal, "SIGUSR2"), reason="the system has no signal of the user's own")
@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL, lambda *_: None])
def test_where_ctrl_c_raises_nothing_a_sleep_ends_too(handler):
    """As in a task of Airflow, or what a script starts with &; afterward signals mean what they meant."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(PluginError), PluginCode(OWNER, "metric 'm'"):
            sleep()
        assert signal.getsignal(signal.SIGUSR2) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def ask_the_host() -> None:
    """Never return, and ask for something at each step."""
    while True:
        with own_time():
            pass


def call_another() -> None:
    """Never return, and run other code of a plugin at each step."""
    while True:
        with PluginCode("inner", "metric 'm'"):
            pass


def return_late() -> None:
    """Return when the limit is over."""
    time.sleep(1)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("late", [ask_the_host, call_another, return_late])
def test_in_another_thread_code_past_its_limit_ends_with_its_next_step(late):
    """Nothing is raised into a thread from outside; what comes back too late does not count."""
    caught = []

    def work() -> None:
        try:
            with PluginCode(OWNER, "metric 'm'"):
                late()
        except PluginError as error:
            caught.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(caught) == 1
    assert caught[0].startswith(f"{OWNER}: metric 'm' ran for more than 0.5 seconds")


TRACED = """
import sys
from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode

def spin():
    try:
        with PluginCode("owner", "code"):
            while True:
                pass
    except PluginError:
        print("interrupted")

spin()
sys.settrace(lambda *_: None)
(lambda: print("traced"))()
"""


def test_a_debugger_goes_on_after_an_interruption():
    """Nothing is left for Python to look after: Python 3.11 would look forever where calls are traced."""
    done = subprocess.run(
        [sys.executable, "-c", TRACED],
        env=os.environ | {LIMIT_VARIABLE: "0.2"},
        capture_output=True,
        text=True,
        timeout=250,
        check=True,
    )
    assert done.stdout.split() == ["interrupted", "traced"]


@pytest.mark.clock
@pytest.mark.usefixtures("short")
def test_a_guard_that_an_interruption_left_open_is_closed_by_the_one_around_it(monkeypatch):
    """An exception may arrive in the middle of an inner guard's end: output and clock are put right."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    with PluginCode(OWNER, "outer"):
        PluginCode(OWNER, "inner").__enter__()
    assert sys.stdout is out
    time.sleep(1)  # past the limit of the inner one, which is watched no more


@pytest.mark.clock
@pytest.mark.usefixtures("short")
def test_nothing_arrives_after_the_guard():
    """The interruption of one call does not hit what runs next."""
    for _ in range(3):
        with pytest.raises(PluginError), PluginCode(OWNER, "metric 'm'"):
            spin()
        ends = time.monotonic() + 0.05
        while time.monotonic() < ends:
            pass


@pytest.mark.clock
@pytest.mark.usefixtures("short")
def test_the_clock_stands_still_while_another_call_or_the_host_works():
    """A strategy is not blamed for the time that measuring takes, nor for that of a metric."""
    with PluginCode(OWNER, "search strategy 's'"):
        with own_time():
            time.sleep(0.8)
        for _ in range(2):
            with PluginCode(OWNER, "metric 'm'"):
                time.sleep(0.4)


def test_code_past_its_budget_is_interrupted():
    """A second of grace is left for whoever returns by itself."""
    began = time.monotonic()
    with pytest.raises(BudgetOverrun), PluginCode(OWNER, "search strategy 's'", budget_seconds=0.1):
        spin()
    assert time.monotonic() - began >= 1


def test_what_a_plugin_prints_goes_to_standard_error(monkeypatch):
    """So that JSON on standard output stays JSON, whichever threads print."""
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)

    def work() -> None:
        with PluginCode(OWNER, "metric 'm'"):
            sys.stdout.write("hello\n")
            time.sleep(0.05)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stdout.write(json.dumps({"passed": True}))
    assert json.loads(out.getvalue()) == {"passed": True}
    assert err.getvalue() == "hello\n" * 4


def test_only_debugging_shows_the_words_and_the_line(monkeypatch, capsys):
    """Message, traceback, file and line, on standard error; never in the sentence."""

    def fail() -> None:
        with PluginCode(OWNER, "metric 'm'"):
            raise KeyError("Ann, 34")

    for value, shown in (("", False), ("0", False), ("1", True)):
        monkeypatch.setenv("QIDGUARD_DEBUG", value)
        with pytest.raises(PluginError) as raised:
            fail()
        shows = capsys.readouterr().err
        assert "Ann" not in str(raised.value)
        assert ("Ann, 34" in shows) is shown
        assert ("test_guard.py" in shows) is shown
        assert (raised.value.__cause__ is not None) is shown


@pytest.mark.clock
def test_the_watchdog_holds_nothing_of_a_call_that_has_ended():
    """Else a database's connection would live until the process ends, and its library complain of that."""

    class Connection:
        def interrupt(self) -> None:
            """Do nothing."""

    connection = Connection()
    call = Watched(interrupt=connection.interrupt)
    call.start()
    time.sleep(0.5)  # the watchdog has looked
    call.stop()
    held = weakref.ref(connection)
    del connection, call
    ends = time.monotonic() + 60
    while held() is not None and time.monotonic() < ends:
        time.sleep(0.01)
    assert held() is None


def test_nobody_else_catches_what_plugins_raise():
    """There is one guard with one set of what passes; the command line alone has to end after an exit."""
    host = Path(__file__).resolve().parents[2] / "qidguard"
    found = set()
    for path in host.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            caught = ast.unparse(node.type) if isinstance(node, ast.ExceptHandler) and node.type else ""
            if "SystemExit" in caught or "GeneratorExit" in caught:
                found.add(str(path.relative_to(host)))
    assert found == {"interfaces/cli.py"}
