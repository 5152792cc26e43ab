"""Fixtures of the command line's tests: a table of eight records and its policies."""

import pytest

from qidguard.interfaces.cli import main

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
"""A value that is alone in its class; no output may ever show it."""

TABLE = f"""sex,age,city,illness
f,30,Basel,flu
f,30,Basel,cold
f,30,Basel,flu
m,30,Basel,cold
m,30,Basel,flu
m,30,{SECRET},flu
m,41,Basel,cold
m,41,Basel,{SECRET}
"""

POLICY = """qidguard: 1
name: clinic
roles:
  quasi_identifiers: [sex, age]
  sensitive: [illness]
  insensitive: [city]
thresholds:
  - metric: {metric}
    at_least: {limit}
"""


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch, tmp_path):
    """Run each test in a folder and with a home of its own, without colors, 100 characters wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "QIDGUARD_DEBUG", "QIDGUARD_PLUGINS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def secret() -> str:
    """Return the value that no output may show."""
    return SECRET


@pytest.fixture
def table(tmp_path) -> str:
    """Return the name of a CSV of eight records: classes of 3, 3 and 2 records over sex and age."""
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    return "table.csv"


@pytest.fixture
def write_policy(tmp_path):
    """Return a function that writes a policy and returns its name."""

    def write(limit: object = 2, metric: str = "k_anonymity", text: str = POLICY) -> str:
        (tmp_path / "policy.yaml").write_text(text.format(limit=limit, metric=metric), encoding="utf-8")
        return "policy.yaml"

    return write


@pytest.fixture
def run(capsys):
    """Return a function that runs the command line and returns exit code, output and errors."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return code, captured.out, captured.err

    return call
