"""Verdicts that are kept without a release, and releases that were taken back."""

import json

import pytest

from qidguard.interfaces.cli import main
from releases import Place, once, people


@pytest.fixture
def place(tmp_path):
    """Return a folder with a table and a policy that says where the table is."""
    people().to_csv(tmp_path / "people.csv", index=False)
    rules = once(source={"path": "people.csv"})
    (tmp_path / "policy.yaml").write_text(json.dumps(rules), encoding="utf-8")
    strict = once(source={"path": "people.csv"}, thresholds=[{"metric": "k_anonymity", "at_least": 6}])
    (tmp_path / "strict.yaml").write_text(json.dumps(strict), encoding="utf-8")
    return Place(tmp_path)


@pytest.mark.slow
def test_a_recorded_audit_stands_in_the_history(place, capsys):
    """The code is the verdict's; the history names both audits, and `show` holds the whole report."""
    assert main(["audit", "--policy", "policy.yaml", "--record", "-q"]) == 0
    assert main(["audit", "--policy", "strict.yaml", "--record", "-q"]) == 1
    said = capsys.readouterr()
    audit_id = place.entries()[-1].id
    assert f"Recorded as {audit_id} of people." in said.err
    assert main(["history", "people", "--format", "json"]) == 0
    assert [e["what"] for e in json.loads(capsys.readouterr().out)] == ["audit passed", "audit blocked"]
    assert main(["show", audit_id, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["record"]["risk_after"]["table"]["records"] == 15


def test_an_audit_alone_leaves_no_ledger(place):
    """Without --record nothing is kept."""
    assert main(["audit", "--policy", "policy.yaml", "-q"]) == 0
    assert not (place.home / "ledger.db").exists()


@pytest.mark.parametrize(("arguments", "said"), [
    (["people.csv", "--record"], "without a policy there is none; give --policy"),
    (["people.csv", "--data-set", "x"], "--data-set and --ledger go with --record"),
    ([], "There is no table; name one, or write source: path: in the policy."),
])  # fmt: skip
@pytest.mark.usefixtures("place")
def test_options_that_do_not_go_together(capsys, arguments, said):
    """The sentence says what to add."""
    assert main(["audit", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_a_release_without_data_takes_the_policys_table(place):
    """From Python and from the command line."""
    assert main(["release", "--policy", "policy.yaml", "--to", "published", "--release-id", "r1", "-q"]) == 0
    assert [p.name for p in place.releases()] == ["r1"]


@pytest.mark.slow
def test_a_withdrawn_release_is_in_the_history(place, capsys):
    """No file is removed, and the command says so; a notice stands beside the release."""
    main(["release", "--policy", "policy.yaml", "--to", "published", "--release-id", "r1", "-q"])
    assert main(["withdraw", "people", "r1", "--reason", "asked for"]) == 0
    said = capsys.readouterr()
    assert said.out.endswith("WITHDRAWN  people r1\n")
    assert "Nothing was removed" in said.err
    assert [p.name for p in place.releases()] == ["r1", "r1.withdrawn.json"]
    assert main(["history"]) == 0
    assert "withdrawn" in capsys.readouterr().out
    assert main(["withdraw", "people", "r9", "--reason", "x"]) == 2


@pytest.mark.parametrize("command", ["release", "audit", "anonymize", "verify", "history", "withdraw"])
def test_a_data_set_goes_by_one_word(place, command, capsys):
    """As option or argument it is DATA_SET, and what ``--data-set`` says of the policy's name is true."""
    assert main([command, "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert ("--data-set NAME" in told or "DATA_SET" in told, "--name" in told) == (True, False)
    if "release.data_set must agree" in told:
        record = ["--to", "out"] if command == "release" else ["--record"]
        given = [command, "-p", "named.yaml", *record, "--data-set", "other", "-q"]
        given += ["-a", "small_class_suppression[k=2]"] if command == "anonymize" else []
        rules = once(source={"path": "people.csv"}, release={"data_set": "ward"})
        place.root.joinpath("named.yaml").write_text(json.dumps(rules), encoding="utf-8")
        assert main(given) == 2
        assert "The policy calls the data set 'ward'" in capsys.readouterr().err
