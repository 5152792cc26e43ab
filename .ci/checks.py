"""Runs the steps of checks.toml: all that every save must pass, or pieces of the whole check.

.ci/run                     what every save must pass; stops at the first step that fails
.ci/full                    every piece of the whole check, each to its end
.ci/full slow gx            some pieces
.ci/full --list             what each piece is, and how long it took when last measured
.ci/full --seed 7 faults    with the seed that an earlier run printed
"""

import argparse
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET  # the files are those of our own tests
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SLOWEST = 20
PIECE_MINUTES = 25
TIMED_OUT = 124
DEBIAN = {"postgresql": "postgresql", "java": "openjdk-17-jre-headless", "chromium": "chromium"}
"""Program that tests start → the package that brings it."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One command with a limit, and the variables that stand before it when a person repeats it."""

    title: str
    command: str
    seconds: float
    variables: Mapping[str, str]

    @property
    def repeated(self) -> str:
        """What a person types to run it again."""
        return " ".join([*(f"{name}={value}" for name, value in self.variables.items()), self.command])


@dataclass(kw_only=True)
class Row:
    """What came of a step."""

    title: str
    seconds: float
    code: int
    tests: int = 0
    failed: int = 0
    skipped: int = 0
    durations: list[tuple[float, str]] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """Passed, or how it ended."""
        if self.code == 0:
            return "passed"
        return "OUT OF TIME" if self.code == TIMED_OUT else f"FAILED ({self.failed or f'exit {self.code}'})"


def say(text: str = "") -> None:
    """Print a line at once, so that it stands before what the next command prints."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def executed(step: Step) -> int:
    """Run a command and all that it starts, to its end or to its limit; return its exit code."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # a virtual environment that is active would stand in for the one that uv makes
    environment.pop("VIRTUAL_ENV", None)
    environment |= {"CI": "true", **step.variables}
    process = subprocess.Popen(
        shlex.split(step.command), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return process.wait(step.seconds)
    except subprocess.TimeoutExpired:
        return TIMED_OUT
    finally:
        # at its limit or at Ctrl-C all that it started ends too
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def counted(row: Row, report: Path) -> None:
    """Read into a row what pytest wrote about its tests, if it came to write."""
    if not report.is_file() or not report.stat().st_size:
        return
    for suite in ET.parse(report).getroot().iter("testsuite"):  # noqa: S314 - written by our own tests
        row.tests += int(suite.get("tests", 0))
        row.failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        row.skipped += int(suite.get("skipped", 0))
        row.durations += [
            (float(case.get("time", 0)), f"{case.get('classname')}::{case.get('name')}")
            for case in suite.iter("testcase")
        ]


def done(step: Step, reports: Path) -> Row:
    """Run a step and return its row; a step that tests says which tests were slow."""
    say(f"\n== {step.title} (at most {step.seconds / 60:.0f} min)\n   {step.repeated}")
    report = reports / f"{time.monotonic_ns()}.xml"
    begun = time.monotonic()
    is_test = " pytest" in step.command
    told = f"{step.command} --junitxml={shlex.quote(str(report))}" if is_test else step.command
    code = executed(Step(title=step.title, command=told, seconds=step.seconds, variables=step.variables))
    row = Row(title=step.title, seconds=time.monotonic() - begun, code=code)
    counted(row, report)
    if code:
        say(f"\n== {step.title}: {row.outcome}. It is repeated by\n   {step.repeated}")
    return row


def show(title: str, rows: list[Row]) -> None:
    """Print the table of what was run, and the slowest tests in it."""
    slowest = sorted((one for row in rows for one in row.durations), reverse=True)[:SLOWEST]
    if slowest:
        say(f"\nThe {len(slowest)} slowest tests")
        for seconds, name in slowest:
            say(f"{seconds:8.1f} s  {name}")
    width = max(len(row.title) for row in rows)
    say(f"\n{title}\n{'step':{width}}  seconds   tests  skipped  outcome")
    for row in rows:
        tests, skipped = (row.tests or "", row.skipped or "")
        say(f"{row.title:{width}}  {row.seconds:7.0f}  {tests:>6}  {skipped:>7}  {row.outcome}")
    total, tests = sum(row.seconds for row in rows), sum(row.tests for row in rows)
    is_passed = not any(row.code for row in rows)
    say(f"{'in all':{width}}  {total:7.0f}  {tests:>6}           {'passed' if is_passed else 'FAILED'}")


def bring_uv() -> None:
    """Install uv where it is not: every command here runs through it."""
    if shutil.which("uv"):
        return
    for more in ((), ("--break-system-packages",)):
        command = [sys.executable, "-m", "pip", "install", "--quiet", *more, "uv"]
        if subprocess.run(command, check=False).returncode == 0:
            break
    if pyenv := shutil.which("pyenv"):
        subprocess.run([pyenv, "rehash"], check=False)
    if not shutil.which("uv"):
        # pip put it where this interpreter keeps its programs
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def bring_interpreters() -> None:
    """Let uv find all interpreters of pyenv, which puts one of them on PATH: uv looks nowhere else."""
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        kept = sorted(str(one) for one in Path(root).glob("versions/*/bin")) if root else []
        os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *kept])


def has(program: str) -> bool:
    """Return whether this machine has a program that only some tests start."""
    if program == "postgresql":
        return bool(shutil.which("initdb") or list(Path("/usr/lib/postgresql").glob("*/bin/initdb")))
    return any(map(shutil.which, {"chromium": ("chromium", "google-chrome")}.get(program, (program,))))


def steps(listed: list[dict[str, Any]], *, title: str = "", seed: int | None = None) -> Iterator[Step]:
    """Yield the steps of a list as they are run."""
    for at, one in enumerate(listed, 1):
        variables = dict(one.get("variables", {}))
        if "environment" in one:
            variables = {"UV_PROJECT_ENVIRONMENT": one["environment"]} | variables
        command = one["command"]
        if seed is not None and " pytest" in command:
            variables = {"QIDGUARD_EXAMPLES": "more", **variables, "QIDGUARD_SEED": str(seed)}
            command += f" --hypothesis-seed={seed}"
        name = one.get("title") or (title if len(listed) == 1 else f"{title} {at}")
        limit = 60 * one.get("minutes", PIECE_MINUTES)
        yield Step(title=name, command=command, seconds=limit, variables=variables)


def run(checks: Mapping[str, Any], reports: Path) -> int:
    """Run what every save must pass, to the first step that fails."""
    rows: list[Row] = []
    for step in steps(checks["run"]):
        rows.append(done(step, reports))
        if rows[-1].code:
            break
    show("What every save must pass", rows)
    return int(any(row.code for row in rows))


def piece(name: str, told: Mapping[str, Any], seed: int, reports: Path) -> list[Row]:
    """Run the steps of one piece, each whatever came of the one before, within the time of a piece."""
    rows: list[Row] = []
    left: float = 60 * PIECE_MINUTES
    shared = {key: told[key] for key in ("environment", "variables") if key in told}
    listed = [shared | step for step in told["steps"]]
    if missing := [DEBIAN[program] for program in told.get("needs", ()) if not has(program)]:
        install = f"apt-get install -y -qq --no-install-recommends {' '.join(missing)}"
        listed[:0] = [
            {"title": f"{name}: packages", "command": one} for one in ("apt-get update -qq", install)
        ]
    for step in steps(listed, title=name, seed=seed):
        within = Step(title=step.title, command=step.command, seconds=max(left, 1), variables=step.variables)
        rows.append(done(within, reports))
        left -= rows[-1].seconds
    show(f"{name}: {told['what']} (seed {seed})", rows)
    return rows


def full(checks: Mapping[str, Any], names: list[str], seed: int, reports: Path) -> int:
    """Run pieces of the whole check, all of them where none is named."""
    say(f"Draws of this run are repeated by --seed {seed}.")
    rows = [row for name in names for row in piece(name, checks["full"][name], seed, reports)]
    if len(names) > 1:
        for row in rows:
            row.durations.clear()
        show(f"The whole check: {', '.join(names)} (seed {seed})", rows)
    return int(any(row.code for row in rows))


def asked(checks: Mapping[str, Any]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog=".ci", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("run", prog=".ci/run")
    whole = kinds.add_parser("full", prog=".ci/full")
    whole.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(checks['full'])}")
    whole.add_argument("--list", action="store_true", help="say what each piece is")
    whole.add_argument("--seed", type=int, help="repeat the draws of an earlier run")
    found = parser.parse_args()
    if unknown := [name for name in getattr(found, "names", ()) if name not in checks["full"]]:
        parser.error(f"no piece is called {', '.join(unknown)}; there are {', '.join(checks['full'])}")
    return found


def main() -> int:
    """Do what the command line asks for."""
    checks = tomllib.loads((ROOT / ".ci" / "checks.toml").read_text(encoding="utf-8"))
    given = asked(checks)
    if given.kind == "full" and given.list:
        for name, told in checks["full"].items():
            say(f"{name:12}{told['what']} ({told['measured']})")
        return 0
    bring_uv()
    with tempfile.TemporaryDirectory(prefix="qidguard-checks-") as folder:
        if given.kind == "run":
            return run(checks, Path(folder))
        bring_interpreters()
        # one that nobody chose, so that each run draws others; it is printed, and repeats them
        seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
        return full(checks, given.names or list(checks["full"]), seed, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
