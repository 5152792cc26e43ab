"""A check stops or goes on as it says, counts what pytest wrote, and ends what takes too long."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checks(monkeypatch):
    """Return the module that runs the checks."""
    spec = spec_from_file_location("checks", ROOT / ".ci" / "checks.py")
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "checks", module)
    spec.loader.exec_module(module)
    return module


def step(title, code, minutes=1.0):
    """Return a step that prints its title and ends with a code."""
    command = f'{sys.executable} -c \'import sys; print("ran", "{title}"); sys.exit({code})\''
    return {"title": title, "command": command, "minutes": minutes}


def test_a_save_ends_at_the_first_step_that_fails(checks, tmp_path, capfd):
    """The table tells which; what would have come next did not run; the command that repeats it is shown."""
    listed = {"run": [step("one", 0), step("two", 5), step("three", 0)]}
    assert checks.run(listed, tmp_path) == 1
    said = capfd.readouterr().out
    assert ("ran two" in said, "ran three" in said) == (True, False)
    assert "two: FAILED (exit 5). It is repeated by\n" in said
    assert [line.split()[0] for line in said.splitlines() if line.endswith("passed")] == ["one"]


def test_a_piece_goes_on_after_a_step_that_fails(checks, tmp_path, capfd):
    """Both steps run, and the piece failed."""
    told = {"what": "w", "measured": "never", "steps": [step("one", 3), step("two", 0)]}
    assert checks.full({"full": {"p": told}}, ["p"], 1, tmp_path) == 1
    assert "ran two" in capfd.readouterr().out


@pytest.mark.clock
def test_a_step_that_takes_too_long_is_ended_with_all_that_it_started(checks, tmp_path):
    """At its limit; what it had begun is gone."""
    begun = tmp_path / "begun"
    command = f"sh -c 'sleep 600 & echo $! > {begun}; wait'"
    row = checks.done(checks.Step(title="long", command=command, seconds=1.0, variables={}), tmp_path)
    assert row.outcome == "OUT OF TIME"
    process = Path("/proc") / begun.read_text().strip() / "status"
    assert not process.exists() or "zombie" in process.read_text()


def test_tests_are_counted_from_what_pytest_wrote(checks, tmp_path):
    """Two cases, of which one failed, and how long each took."""
    report = tmp_path / "r.xml"
    report.write_text(
        '<testsuites><testsuite tests="2" failures="1" errors="0" skipped="0">'
        '<testcase classname="a" name="x" time="0.5"/><testcase classname="a" name="y" time="2"/>'
        "</testsuite></testsuites>"
    )
    row = checks.Row(title="t", seconds=3, code=1)
    checks.counted(row, report)
    assert (row.tests, row.failed, row.outcome) == (2, 1, "FAILED (1)")
    assert max(row.durations) == (2.0, "a::y")


def test_the_seed_of_a_piece_repeats_its_draws(checks):
    """It stands in the command that is shown, for hypothesis and for what the tests draw themselves."""
    [one] = checks.steps([{"command": "uv run pytest"}], title="p", seed=7)
    assert one.repeated == "QIDGUARD_EXAMPLES=more QIDGUARD_SEED=7 uv run pytest --hypothesis-seed=7"
