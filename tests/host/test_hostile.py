"""Tests of plugins that hang, print, and fail in their SQL: each ends, is named, and blocks."""

import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest

import qidguard
from qidguard import ExitCode, PluginError
from qidguard.core.metric import Direction, Unit
from qidguard.core.watchdog import LIMIT_VARIABLE
from qidguard.host import Host, PluginInfo, load_host
from qidguard.interfaces.cli import main
from qidguard.sdk import Explanation, GroupBy, Metric, Statistic, TableFunction, Termination

TABLE = pd.DataFrame({"age": [30, 30, 41, 41], "ward": ["a", "a", "b", "b"], "illness": list("xyxy")})
WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))
POLICY: dict[str, Any] = {
    "qidguard": 1,
    "name": "hostile",
    "roles": {"quasi_identifiers": ["age", "ward"], "sensitive": ["illness"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}, {"metric": "theirs", "at_most": 1}],
}


@pytest.fixture(autouse=True)
def _loaded() -> None:
    """Load the plugins before a test sets its limit, which is for one call and no machine's start."""
    load_host()


def host_with(kind: str, offer: Any) -> Host:
    """Return the host with one more offer, by the plugin ``x``."""
    host = load_host()
    registry = {**host.registry, kind: {**host.registry[kind], offer.name: offer}}
    info = PluginInfo(name="x", distribution="x-dist", version="1.0", offers={kind: (offer.name,)})
    return replace(host, plugins=(*host.plugins, info), registry=MappingProxyType(registry))


def metric(method: GroupBy | TableFunction, **more: Any) -> Metric:
    """Return the metric ``theirs``."""
    return Metric(
        name="theirs",
        title="theirs",
        unit=Unit.CLASSES,
        minimum=0,
        maximum=float("inf"),
        direction=Direction.LOWER_IS_SAFER,
        method=method,
        explanation=WORDS,
        **more,
    )


def spin(*_: object) -> int:
    """Never return."""
    while True:
        pass


def by_sql(sql: str) -> GroupBy:
    """Return the method of a metric that is one statistic."""
    statistic = Statistic(name="their_statistic", sql=sql)
    return GroupBy(statistics=(statistic,), compute=lambda s, _: s["their_statistic"] or 0)


FOREVER = "(SELECT count(*) FROM range(1000000000) a, range(1000000000) b) + max(size)"

HANGING = {
    "function of the table": TableFunction(measure=spin),
    "sleep": TableFunction(measure=lambda *_: time.sleep(3600)),
    "compute": GroupBy(statistics=(Statistic(name="n", sql="count(*)"),), compute=spin),
    "choice of statistics": GroupBy(statistics=spin, compute=lambda *_: 0),
    "SQL": by_sql(FOREVER),
}


@pytest.mark.clock
@pytest.mark.parametrize("method", HANGING.values(), ids=HANGING)
def test_a_metric_that_hangs_ends_at_the_limit_and_blocks(monkeypatch, method):
    """Exit 3, the plugin and the way out are named, and the other threshold has its figure."""
    monkeypatch.setenv(LIMIT_VARIABLE, "0.5")
    with qidguard.audit(TABLE, policy=POLICY, host=host_with("metrics", metric(method))) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        k, theirs = audit.verdict.thresholds
        assert k.measurement.value == 2
        assert not theirs.is_met
        words = "plugin 'x' of x-dist 1.0: metric 'theirs' ran for more than 0.5 seconds"
        assert words in theirs.measurement.reason
        assert LIMIT_VARIABLE in theirs.measurement.reason


def late(*_: object) -> float:
    """Return when the limit is over."""
    time.sleep(1)
    return 0.0


@pytest.mark.parametrize("method", [TableFunction(measure=late), HANGING["SQL"]])
def test_what_takes_too_long_in_a_thread_does_not_count(monkeypatch, method):
    """A server or a notebook may audit outside of the main thread, where no signal arrives."""
    monkeypatch.setenv(LIMIT_VARIABLE, "0.5")
    host, reasons = host_with("metrics", metric(method)), []

    def work() -> None:
        with qidguard.audit(TABLE, POLICY, host=host) as audit:
            reasons.append(audit.verdict.thresholds[1].measurement.reason)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    assert len(reasons) == 1
    assert "metric 'theirs' ran for more than 0.5 seconds" in reasons[0]


class Strategy:
    """Searches without an end, after some evaluations."""

    name, title, parameters = "theirs", "theirs", ()

    def __init__(self, evaluated: int) -> None:
        self.evaluated = evaluated

    def search(self, problem: Any, arguments: Any, seed: int) -> Termination:
        """Never return."""
        for name in problem.candidates[: self.evaluated]:
            problem.evaluate([frozenset({name})])
        spin(arguments, seed)
        return Termination()


@pytest.mark.clock
def test_a_strategy_that_ignores_its_budget_ends_there():
    """The best set that was seen comes back, with a note that names the plugin."""
    host = host_with("search_strategies", Strategy(evaluated=1))
    found = qidguard.discover(
        TABLE, strategy="theirs", objective={"k_anonymity": -1}, budget_seconds=0.5, host=host
    )
    assert found.search.stopped_by.value == "budget"
    said = "search strategy 'theirs' went on past its budget and was interrupted; mend the plugin"
    assert f"plugin 'x' of x-dist 1.0: {said}." in found.notes


@pytest.mark.slow
def test_a_strategy_that_evaluates_nothing_in_its_budget_is_a_fault():
    """There is nothing to give back, and more seconds would not help."""
    host = host_with("search_strategies", Strategy(evaluated=0))
    with pytest.raises(PluginError, match="went on past its budget"):
        qidguard.discover(
            TABLE, strategy="theirs", objective={"k_anonymity": -1}, budget_seconds=0.5, host=host
        )


@pytest.mark.slow
def test_a_verdict_does_not_rest_on_a_search_that_was_interrupted():
    """Under a policy the plugin's fault blocks with exit 3."""
    policy = {
        **POLICY,
        "roles": {"quasi_identifiers": "auto", "sensitive": ["illness"]},
        "thresholds": POLICY["thresholds"][:1],
        "discovery": {"strategy": "theirs", "objective": {"k_anonymity": -1}, "budget_seconds": 0.5},
    }
    host = host_with("search_strategies", Strategy(evaluated=1))
    with qidguard.audit(TABLE, policy=policy, host=host) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        assert any("went on past its budget" in block.sentence for block in audit.verdict.blocks)


@pytest.mark.samples(2)
@pytest.mark.parametrize(("sql", "words"), [
    ("CAST('Ann' AS INTEGER) + max(size)", "SQL of a plugin failed in DuckDB with a Conversion error"),
    ("no_such_column", "SQL of a plugin failed in DuckDB with a Binder error"),
    ("max(size) FROM", "SQL of a plugin cannot be parsed by DuckDB"),
    ("'Ann'", "gave str, not a number"),
])  # fmt: skip
def test_a_fault_in_sql_names_statistic_and_column(sql, words):
    """Which of a plugin's statistics fails is said, and beside which column; no value is."""
    theirs = metric(by_sql(sql), is_sensitive=True)
    with qidguard.audit(TABLE, policy=POLICY, host=host_with("metrics", theirs)) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        reason = audit.verdict.thresholds[1].measurement.reason
    assert reason.startswith("plugin 'x' of x-dist 1.0: statistic 'their_statistic'")
    assert words in reason
    assert "Ann" not in reason
    assert ("beside the column 'illness'" in reason) == ("SQL" in words)


PLUGIN = """
import sys
from qidguard.sdk import *

print("imported")

def measure(table, grouping, arguments):
    print("measured")
    if "fails" in sys.argv[0]:
        raise KeyError("Ann, 34")
    return 1

@hookimpl
def qidguard_metrics():
    print("asked")
    words = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))
    return [Metric(name="theirs", title="theirs", unit=Unit.CLASSES, minimum=0, maximum=9,
                   direction=Direction.LOWER_IS_SAFER, explanation=words,
                   method=TableFunction(measure=measure))]
"""


@pytest.fixture
def talkative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Register a plugin that prints, and return its table's and its policy's paths."""
    (tmp_path / "talkative.py").write_text(textwrap.dedent(PLUGIN))
    monkeypatch.syspath_prepend(str(tmp_path))
    import talkative

    qidguard.register(talkative)
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p.yaml").write_text(json.dumps(POLICY))
    yield str(tmp_path / "t.csv"), str(tmp_path / "p.yaml")
    qidguard.unregister("talkative")


STUBBORN = """
import sys
from qidguard.core import watchdog
from qidguard.sdk import *

watchdog.LAST_SECONDS = 1.0

def measure(table, grouping, arguments):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass

@hookimpl
def qidguard_metrics():
    words = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))
    return [Metric(name="theirs", title="theirs", unit=Unit.CLASSES, minimum=0, maximum=9, explanation=words,
                   direction=Direction.LOWER_IS_SAFER, method=TableFunction(measure=measure))]

import qidguard
from qidguard.interfaces.cli import main
qidguard.register(sys.modules["__main__"], name="stubborn")
sys.exit(main(["audit", "t.csv", "--policy", "p.yaml"]))
"""


@pytest.mark.slow
def test_what_catches_every_interruption_ends_with_the_command(tmp_path):
    """Nothing within Python can end it, so the process ends: exit 3, and the plugin is named."""
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p.yaml").write_text(json.dumps(POLICY))
    done = subprocess.run(
        [sys.executable, "-c", STUBBORN],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
        env={**os.environ, LIMIT_VARIABLE: "3"},
    )
    assert done.returncode == ExitCode.INTERNAL_ERROR
    assert "metric 'theirs' hangs and cannot be interrupted" in done.stderr
    assert "plugin 'stubborn'" in done.stderr
    assert done.stdout == ""


def test_json_stays_json_whatever_a_plugin_prints(talkative, capsys):
    """What hooks and metrics print is on standard error."""
    table, policy = talkative
    capsys.readouterr()
    assert main(["audit", table, "--policy", policy, "--format", "json"]) == ExitCode.PASSED
    said = capsys.readouterr()
    assert json.loads(said.out)["format"] == "qidguard-audit/1"
    assert "measured" in said.err


@pytest.mark.samples(1)
@pytest.mark.parametrize("is_debugging", [False, True])
def test_debugging_shows_where_a_plugin_failed(talkative, capsys, monkeypatch, is_debugging):
    """On the command line: message, traceback, file and line; values stay hidden otherwise."""
    table, policy = talkative
    monkeypatch.setattr("sys.argv", ["fails"])
    monkeypatch.setenv("QIDGUARD_DEBUG", "1" if is_debugging else "0")
    assert main(["audit", table, "--policy", policy, "--format", "json"]) == ExitCode.INTERNAL_ERROR
    said = capsys.readouterr()
    assert "Ann" not in said.out
    assert ("Ann, 34" in said.err and "talkative.py" in said.err) is is_debugging
