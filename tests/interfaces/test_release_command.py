"""From the command line: release, history, show and exceptions, as people use them."""

import json
import os
import signal
from datetime import UTC, datetime, timedelta

import pytest

from qidguard.interfaces.cli import main
from releases import people

POLICY = """\
qidguard: 1
name: people
roles:
  quasi_identifiers: [age, sex]
  sensitive: [illness]
  direct_identifiers: [name]
  entity: person
thresholds:
  - {{metric: k_anonymity, at_least: 5}}
release: {{data_set: people, earlier_releases: unrelated}}
exceptions:
  approvers:
    - {{name: "A. Roe", key: "{key}"}}
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command in an empty folder and gives exit code, output and remarks."""
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments):
        code = main([str(a) for a in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    assert command("keys", "new")[0] == 0
    assert command("keys", "new", "--name", "officer", "--role", "approver")[0] == 0
    code, text, _ = command("keys", "show", tmp_path / "home" / "keys" / "officer.pub")
    assert code == 0
    key = next(word for word in text.split() if word.startswith("ed25519:"))
    (tmp_path / "p.yaml").write_text(POLICY.format(key=key), encoding="utf-8")
    people().to_csv(tmp_path / "good.csv", index=False)
    people(size=4).to_csv(tmp_path / "bad.csv", index=False)
    return command


def tomorrow() -> str:
    """Return a day that is yet to come."""
    return (datetime.now(UTC) + timedelta(days=1)).date().isoformat()


@pytest.mark.slow
def test_a_release_is_told_shown_and_verified(run, tmp_path):
    """Exit 0, where it is and who signed it; the history has a line, and show the record."""
    code, out, _ = run("release", "good.csv", "-p", "p.yaml", "--to", "out", "--release-id", "r1")
    assert code == 0
    assert f"PUBLISHED  people r1\n  at {tmp_path}/out/people/r1\n  Signed by key" in out
    code, out, _ = run("history", "people", "--format", "json")
    (event,) = json.loads(out)
    assert (code, event["what"], event["detail"]) == (0, "published", "r1")
    code, out, _ = run("show", "r1", "--format", "json")
    found = json.loads(out)
    assert [e["kind"] for e in found["entries"]] == ["audited", "releasing", "released"]
    assert found["record"]["risk_after"]["thresholds"][0]["value"] == 5
    code, out, _ = run("show", event["id"])
    assert "k-anonymity is 5 entities, must be at least 5" in " ".join(out.split())
    assert run("verify", "out/people/r1", "-p", "p.yaml")[0] == 0


@pytest.mark.slow
def test_a_repeated_run_says_that_nothing_was_done(run):
    """A scheduler that tries again with the same id publishes once."""
    arguments = ("release", "good.csv", "-p", "p.yaml", "--to", "out", "--release-id", "r1")
    assert run(*arguments)[0] == 0
    code, out, _ = run(*arguments)
    assert (code, "It was there already" in out) == (0, True)


@pytest.mark.slow
def test_an_exception_from_the_blocked_run_to_its_revocation(run, tmp_path):
    """Blocked with exit 1; let through by the approver, for all to see; blocked again once it is revoked."""
    code, out, _ = run("release", "bad.csv", "-p", "p.yaml", "--to", "out", "-q")
    assert code == 1
    assert "✗ k-anonymity is 4 entities, must be at least 5" in out
    audit_id = out.split()[-1]
    until = tomorrow()
    code, out, _ = run(
        *("exception", "new", audit_id, "--covers", "k_anonymity", "--reason", "pilot", "--until", until),
        *("--key", tmp_path / "home" / "keys" / "officer.key"),
    )
    assert (code, "k_anonymity ≥ 5 (accepted: 4)" in out) == (0, True)
    exception_id = out.split()[0]
    code, out, _ = run("release", "bad.csv", "-p", "p.yaml", "--to", "out", "-q")
    assert code == 0
    assert "PUBLISHED BY EXCEPTION" in out
    assert f"! A. Roe let through until {until}: k_anonymity ≥ 5 (accepted: 4). Reason: pilot" in out
    _, out, _ = run("history", "--format", "json")
    assert [e["what"] for e in json.loads(out)] == ["blocked", "exception", "published by exception"]
    assert run("exception", "revoke", exception_id, "--reason", "over")[0] == 0
    assert run("release", "bad.csv", "-p", "p.yaml", "--to", "out", "-q")[0] == 1
    assert run("history", "--check")[0] == 0


@pytest.mark.samples(7)
@pytest.mark.parametrize("arguments", [
    ("release", "none.csv", "-p", "p.yaml", "--to", "out"),
    ("release", "good.csv", "-p", "none.yaml", "--to", "out"),
    ("release", "good.csv", "-p", "p.yaml"),
    ("release", "good.csv", "-p", "p.yaml", "--to", ""),
    ("release", "good.csv", "-p", "p.yaml", "--to", "nowhere://x"),
    ("release", "good.csv", "-p", "p.yaml", "--to", "out", "--data-set", "other"),
    ("release", "good.csv", "-p", "p.yaml", "--to", "out", "--release-id", "../x"),
    ("release", "good.csv", "-p", "p.yaml", "--to", "out", "--key", "good.csv"),
    ("release", "good.csv", "-p", "p.yaml", "--to", "out", "--ledger", "oracle://x"),
    ("release", "good.csv", "-p", "p.yaml", "--to", "out", "--seed", "-1"),
    ("release", "good.csv", "-p", "p.yaml", "--to", "good.csv"),
    ("verify", "out"),
    ("history",),
    ("show", "audit-none"),
    ("exception", "new", "x", "--covers", "k", "--reason", "r", "--until", "soon"),
    ("exception", "revoke", "x", "--reason", "r"),
    ("keys", "new"),
], ids=" ".join)  # fmt: skip
def test_a_mistake_is_one_sentence_and_publishes_nothing(run, tmp_path, arguments):
    """Exit 2, no traceback, and nothing at the destination."""
    code, out, err = run(*arguments)
    assert code == 2, out + err
    assert "Traceback" not in out + err
    assert (out + err).strip()
    assert not list((tmp_path / "out").rglob("manifest.json"))


@pytest.mark.slow
def test_a_stop_when_the_release_is_out_does_not_hide_it(run, monkeypatch):
    """SIGTERM right behind the rename, and again while the report is printed: PUBLISHED and exit code 0."""
    from qidguard.interfaces.commands import release as command
    from qidguard.releasing.publishing.folder import StagedFolder

    publish, echo = StagedFolder.publish, command.click.echo

    def then_stop(first):
        def both(*arguments, **more):
            answer = first(*arguments, **more)
            os.kill(os.getpid(), signal.SIGTERM)
            return answer

        return both

    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    monkeypatch.setattr(StagedFolder, "publish", then_stop(publish))
    monkeypatch.setattr(command.click, "echo", then_stop(echo))
    try:
        code, out, said = run("release", "good.csv", "-p", "p.yaml", "--to", "out", "--release-id", "r1")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert code == 0
    assert "PUBLISHED  people r1" in out
    assert "it is published and confirmed" in said
