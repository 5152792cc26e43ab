"""Advice at the command line: beside every verdict that blocks, never in its place."""

import json

import pytest

import qidguard
from qidguard.advising import run as advising
from qidguard.rendering.audit_document import AuditDocument

POLICY = """qidguard: 1
name: clinic
roles:
  quasi_identifiers: [sex, age]
  sensitive: [illness]
  insensitive: [city]
thresholds:
  - {{metric: k_anonymity, at_least: {limit}}}
accepted:
  - {{columns: [city], reason: it is a test}}
"""


@pytest.fixture
def _failing(monkeypatch):
    """Advice that fails, with a value of the table in its words."""

    def fail(*_, **__):
        raise ValueError("Zanzibar-7f")

    monkeypatch.setattr(advising, "advise", fail)


@pytest.mark.slow
def test_a_blocked_audit_ends_with_advice(run, table, write_policy):
    """Two of eight are below three; exit 1, as without advice."""
    rules = write_policy(3, text=POLICY)
    code, out, _ = run("audit", table, "-p", rules)
    assert code == 1
    assert "\nWhat would make it pass\n  2 of 8 records (25.0%), 0 of them alone, are below k = 3.\n" in out
    code, out, _ = run("audit", table, "-p", rules, "--no-advice")
    assert (code, "What would make it pass" in out) == (1, False)


@pytest.mark.usefixtures("_failing")
def test_a_table_that_passes_is_not_looked_at(run, table, write_policy):
    """Advice would fail, and nobody asks for it."""
    code, out, _ = run("audit", table, "-p", write_policy(2, text=POLICY))
    assert (code, "advice" in out) == (0, False)


@pytest.mark.samples(1)
@pytest.mark.usefixtures("_failing")
@pytest.mark.parametrize("kind", ["console", "json", "junit"])
def test_a_failure_is_one_line_and_the_verdict_stands(run, table, write_policy, kind):
    """Exit 1; the kind of the fault is told, and no word of it."""
    code, out, err = run("audit", table, "-p", write_policy(3, text=POLICY), "--format", kind)
    assert code == 1
    assert "There is no advice: internal error (ValueError)." in out
    assert "Zanzibar" not in out + err


@pytest.mark.slow
def test_json_holds_advice_that_the_schema_describes(run, table, write_policy):
    """The counts stand in the document; without advice there is no such field."""
    jsonschema = pytest.importorskip("jsonschema")
    rules = write_policy(3, text=POLICY)
    _, out, _ = run("audit", table, "-p", rules, "--format", "json")
    told = json.loads(out)
    assert (told["advice"]["below"], told["advice"]["persons"]) == (2, 8)
    jsonschema.validate(told, AuditDocument.model_json_schema())
    _, out, _ = run("audit", table, "-p", rules, "--format", "json", "--no-advice")
    assert "advice" not in json.loads(out)


@pytest.mark.slow
def test_junit_and_files_hold_it(run, table, write_policy, tmp_path):
    """As the suite's output, and at the end of a report in a file."""
    rules = write_policy(3, text=POLICY)
    _, out, _ = run("audit", table, "-p", rules, "--format", "junit")
    assert "<system-out>What would make it pass\n" in out
    run("audit", table, "-p", rules, "-o", "report.txt")
    assert "\nWhat would make it pass\n" in (tmp_path / "report.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_method_that_does_not_do_and_a_blocked_release_end_with_advice(
    run, table, write_policy, monkeypatch
):
    """The release stays blocked, exit 1; the ledger keeps the lines, and none where nobody wants them."""
    rules = write_policy(3, text=POLICY)
    code, out, _ = run("anonymize", table, "-p", rules, "--recode", "age=0")
    assert code == 1
    assert out.index("What was done") < out.index("What would make it pass") < out.index("NOT WRITTEN")
    code, out, _ = run("release", table, "--policy", rules, "--to", "out")
    assert code == 1
    assert out.index("NOT PUBLISHED") < out.index("What would make it pass")
    audit_id = next(word for word in out.split() if word.startswith("audit-"))
    assert "What would make it pass" in run("show", audit_id)[1]
    code, out, _ = run("release", table, "--policy", rules, "--to", "out", "--no-advice")
    assert (code, "What would make it pass" in out) == (1, False)
    monkeypatch.setenv("QIDGUARD_ADVICE", "0")
    assert run("release", table, "--policy", rules, "--to", "out")[0] == 1
    told = [event["advice"] for event in json.loads(run("history", "--format", "json")[1])]
    assert [bool(sentence) for sentence in told] == [True, False, False]


@pytest.mark.slow
def test_results_in_python_give_it_when_asked(table, write_policy, tmp_path):
    """A blocked release computes it now; one of which no threshold blocks says so."""
    rules = write_policy(3, text=POLICY)
    made = qidguard.release(table, rules, to=str(tmp_path / "out"), home=str(tmp_path / "home"))
    assert (made.is_published, made.advice().below) == (False, 2)
    with qidguard.audit(table, rules) as found:
        assert qidguard.advise(table, rules, report=found.report).below == 2


@pytest.mark.slow
def test_what_each_column_contributes_is_drawn(run, table, write_policy, tmp_path):
    """SVG and PNG of a blocked table, exit 1 as without; of one that passes nothing is drawn."""
    pytest.importorskip("vl_convert")
    code, _, err = run("audit", table, "-p", write_policy(3, text=POLICY), "--plots", "drawn")
    assert code == 1
    assert {path.name for path in (tmp_path / "drawn").iterdir()} == {"contribution.svg", "contribution.png"}
    assert "contribution.svg" in err
    code, _, err = run("audit", table, "-p", write_policy(2, text=POLICY), "--plots", "none")
    assert (code, "nothing was drawn" in err, list((tmp_path / "none").iterdir())) == (0, True, [])
    code, _, err = run("audit", table, "--plots", "none")
    assert (code, "give --policy" in err) == (2, True)
