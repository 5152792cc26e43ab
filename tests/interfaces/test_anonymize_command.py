"""From the command line: a table is made to meet its policy, told, and written only if it does."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import qidguard.host
from plugged import Coarse, Counting, Doing, host_with, share_changed
from qidguard.sdk import Anonymized

POLICY = """qidguard: 1
name: clinic
roles:
  quasi_identifiers: [sex, age]
  sensitive: [illness]
  direct_identifiers: [city]
thresholds:
  - {{metric: k_anonymity, at_least: 3}}
"""


def everything(records, *_):
    """Keep every record as it is."""
    return Anonymized(kept=np.ones(records.records, dtype=np.bool_))


def never_to_be_run(*_):
    """Fail, which is exit 3: whoever sees it did not look before hours of work."""
    raise AssertionError


@pytest.fixture(autouse=True)
def _tried_plugins(monkeypatch):
    """A host with a method, an attack and a metric of loss."""
    host = host_with(
        [Coarse(), Doing(everything, "as_it_is"), Doing(never_to_be_run, "never")],
        [Counting()],
        [share_changed()],
    )
    monkeypatch.setattr(qidguard.host, "load_host", lambda: host)
    for module in ("releasing.anonymize", "releasing.opening", "auditing.run"):
        monkeypatch.setattr(f"qidguard.{module}.load_host", lambda: host)


@pytest.fixture
def rules(write_policy):
    """Return the name of a policy: 3-anonymous, which one class of two records misses."""
    return write_policy(text=POLICY)


@pytest.mark.slow
def test_a_table_is_made_to_meet_its_policy_and_written(run, table, rules, tmp_path):
    """Exit 0; verdicts, receipt and loss are told; the file holds no direct identifier."""
    code, out, _ = run("anonymize", table, "-p", rules, "--anonymizer", "coarse", "--to", "safe.csv")
    assert code == 0
    titles = ["Before", "BLOCKED", "What was done", "What was lost", "After", "PASSED", "WRITTEN  safe.csv"]
    places = [out.index(title) for title in titles]
    assert places == sorted(places)
    assert "age: 8 cells changed (100%)" in out
    assert "share of cells changed: 50%" in out
    lines = (tmp_path / "safe.csv").read_text(encoding="utf-8").splitlines()
    assert (lines[0], len(lines), lines[1]) == ("sex,age,illness", 9, 'f,"[20, 40]",flu')
    assert (tmp_path / "safe.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_what_stays_blocked_or_has_no_file_is_not_written(run, table, rules, tmp_path):
    """Exit 1, and an earlier file stays as it was; without a file nothing is written, no ledger, no home."""
    (tmp_path / "safe.csv").write_text("earlier", encoding="utf-8")
    before = sorted(p.name for p in tmp_path.iterdir())
    code, out, _ = run("anonymize", table, "-p", rules, "--anonymizer", "as_it_is", "--to", "safe.csv")
    assert (code, out.count("BLOCKED")) == (1, 2)
    assert "NOT WRITTEN  The policy does not hold on what the method made." in out
    assert (tmp_path / "safe.csv").read_text(encoding="utf-8") == "earlier"
    code, out, _ = run("anonymize", table, "-p", rules, "--with", "coarse")
    assert (code, "NOT WRITTEN  The policy holds; name a file with --to." in out) == (0, True)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


@pytest.mark.slow
def test_a_small_class_suppressed_with_parameters(run, table, rules, tmp_path, secret):
    """Brackets give typed values; no value of the table is told."""
    method = "small_class_suppression[k=3, most_suppressed=0.5]"
    more = ("--attack", "counting", "--receipt", "receipt.json")
    code, out, err = run("anonymize", table, "-p", rules, "--anonymizer", method, *more)
    assert (code, "2 of 8 records suppressed" in out) == (0, True)
    said = json.loads((tmp_path / "receipt.json").read_text(encoding="utf-8"))
    assert said["receipt"]["arguments"] == {"k": 3, "most_suppressed": 0.5}
    assert secret not in out + err + json.dumps(said)


@pytest.mark.slow
def test_as_json(run, table, rules):
    """One document on standard output: verdicts, receipt, losses; the same seed gives the same."""
    arguments = ("anonymize", table, "-p", rules, "--anonymizer", "coarse", "--format", "json", "--seed", "7")
    code, out, _ = run(*arguments, "--attack", "counting")
    said = json.loads(out)
    assert (code, said["format"], said["outcome"], said["written"]) == (0, "qidguard-trial/1", "passed", None)
    assert (said["before"]["outcome"], said["after"]["outcome"]) == ("blocked", "passed")
    assert said["receipt"]["seed"] == 7
    assert [attack["attack"] for attack in said["receipt"]["attacks"]] == ["counting"]
    losses = {loss["metric"]: loss["value"] for loss in said["utility"]}
    assert losses["share_changed"] == 0.5


@pytest.mark.slow
def test_the_policys_remedy_is_the_default(run, table, write_policy):
    """Without --anonymizer the policy names one, and without that those that suit most tables are tried."""
    named = write_policy(text=POLICY + "remedy: {{anonymizer: coarse}}\n")
    assert run("anonymize", table, "-p", named)[0] == 0
    code, out, _ = run("anonymize", table, "-p", write_policy(text=POLICY))
    assert (code, "note: nobody named a method" in out) == (0, True)


def test_a_column_to_decide_is_told_as_lines_of_the_policy(run, table, write_policy):
    """No method removes it: what comes next is to decide, and where a method ran nothing of it is said."""
    policy = write_policy(text=POLICY.replace("  direct_identifiers: [city]\n", ""))
    code, out, _ = run("anonymize", table, "-p", policy, "-a", "coarse", "--no-advice")
    assert (code, "Decide on 1 column; add to the roles of" in out.partition("\nNext")[2]) == (1, True)
    for method, ended in (("coarse", 0), ("as_it_is", 1)):
        code, out, _ = run("anonymize", table, "-p", write_policy(text=POLICY), "-a", method, "--no-advice")
        assert (code, "\nNext" in out) == (ended, False)


@pytest.mark.slow
def test_a_recorded_verdict_is_in_the_history(run, table, rules):
    """With --record only; show tells the receipt."""
    code, _, err = run(
        "anonymize", table, "-p", rules, "--anonymizer", "coarse", "--record", "--data-set", "clinic"
    )
    assert code == 0
    audit_id = err.split("Recorded as ")[1].split(".")[0]
    assert "audit passed" in run("history", "clinic")[1]
    shown = run("show", audit_id)[1]
    assert "age: 8 cells changed (100%)" in shown


@pytest.mark.parametrize(("more", "said"), [
    (("--data-set", "x"), "go with --record"),
    (("--shuffle",), "--shuffle goes with --to"),
    (("--to", "safe.json"), "must end in .parquet or .csv"),
    (("--to", "table.csv"), "written over its source"),
    (("-a", "never[k]"), "'k' must be PARAMETER=VALUE"),
    (("-a", "never[k=3]"), "never: unknown parameter 'k'"),
    (("--attack", "counted"), "there is no attack 'counted'"),
    (("--receipt", "no/such/r.json"), "does not exist"),
    (("--seed", "-1"), "not in the range"),
    (("--anonymizer", "coarse", "--to", "a.csv", "--receipt", "a.csv"), "--receipt and --to both name"),
    (("--anonymizer", "coarse", "--receipt", "table.csv"), "--receipt 'table.csv' would overwrite"),
])  # fmt: skip
def test_mistakes_are_told_before_anything_is_done(run, table, rules, more, said):
    """Exit 2 and one sentence."""
    code, out, err = run("anonymize", table, "-p", rules, "--anonymizer", "never", *more)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(("error", "code", "words"), [
    (ValueError, 3, "anonymizer 'doing' failed with ValueError"), (KeyboardInterrupt, 130, "Interrupted"),
])  # fmt: skip
def test_a_run_that_ends_early_tells_no_value_and_leaves_no_file(
    run, table, rules, monkeypatch, secret, error, code, words
):
    """A plugin's fault, whose words may hold a value, is exit 3; Ctrl-C while the method works is 130."""

    def fails(records, *_):
        raise error(records.column("city").texts)

    host = host_with([Doing(fails)])
    monkeypatch.setattr("qidguard.releasing.anonymize.load_host", lambda: host)
    before = sorted(p.name for p in Path.cwd().iterdir())
    found, out, err = run("anonymize", table, "-p", rules, "--anonymizer", "doing", "--to", "safe.csv")
    assert (found, words in err, secret in out + err) == (code, True, False)
    assert sorted(p.name for p in Path.cwd().iterdir()) == before


@pytest.mark.clock
def test_a_signal_ends_the_process_and_leaves_no_file(tmp_path, rules):
    """SIGINT to the process itself while a large table is worked on."""
    rows = "".join(f"{'fm'[i % 2]},{i % 90},c{i},flu\n" for i in range(300_000))
    (tmp_path / "large.csv").write_text("sex,age,city,illness\n" + rows, encoding="utf-8")
    before = sorted(p.name for p in tmp_path.iterdir())
    command = [sys.executable, "-c", "import sys; from qidguard.interfaces.cli import main; sys.exit(main())"]
    arguments = ["anonymize", "large.csv", "-p", rules, "-a", "small_class_suppression[k=3]"]
    process = subprocess.Popen(
        [*command, *arguments, "--to", "safe.csv", "-q"], cwd=tmp_path, stderr=subprocess.PIPE
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=250)
    assert (process.returncode, b"Interrupted" in err) == (130, True)
    assert sorted(p.name for p in tmp_path.iterdir()) == before
