"""Whatever is changed after a release, verify or the check of the ledger finds it."""

import json

import pytest

from qidguard.evidence.keys import new_key_pair
from qidguard.interfaces.cli import main
from quick import mostly_slow
from raw_ledger import Raw
from releases import at_least, people, policy

BARE = {"thresholds": at_least(k_anonymity=5), "release": {}}
"""A policy without a name for the data set, which watches no earlier release."""


@pytest.fixture
def by_command(tmp_path, monkeypatch, capsys):
    """A release made by the command line, and a function that runs a command and returns code and output."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    people().to_csv(tmp_path / "people.csv", index=False)
    rules = tmp_path / "policy.yaml"
    rules.write_text(json.dumps(policy(**BARE)), encoding="utf-8")

    def run(*arguments):
        code = main([str(a) for a in arguments])
        said = capsys.readouterr()
        return code, said.out + said.err

    assert run("keys", "new")[0] == 0
    code, said = run("release", tmp_path / "people.csv", "--policy", rules, "--to", tmp_path / "to")
    assert code == 0, said
    (folder,) = (tmp_path / "to" / "people").iterdir()
    return run, folder, rules, f"sqlite:///{tmp_path / 'home' / 'ledger.db'}"


@pytest.mark.slow
def test_verify_finds_the_release_whole(by_command):
    """The folder, the key of the home folder, the policy and the ledger agree."""
    run, folder, rules, ledger = by_command
    code, said = run("verify", folder, "--policy", rules, "--ledger", ledger)
    assert (code, said.split()[0]) == (0, "VERIFIED")
    code, said = run("history", "--check")
    assert (code, said.split()[0]) == (0, "UNCHANGED")


@pytest.mark.slow
def test_another_policy_file_is_named(by_command, tmp_path):
    """One more blank, and verify says so; one that lists another key does not know the signature."""
    run, folder, rules, _ = by_command
    other = new_key_pair(tmp_path / "other", "other")
    text = rules.read_text(encoding="utf-8")
    listing = json.dumps(policy(**BARE | {"release": {"signers": [other.text]}}))
    for changed, word in ((text + " ", "policy"), (listing, "not among release.signers")):
        rules.write_text(changed, encoding="utf-8")
        code, said = run("verify", folder, "--policy", rules)
        assert (code, word in said) == (1, True), said


@pytest.mark.parametrize(("table", "column", "row"), mostly_slow([
    ("entry", "payload", 1), ("entry", "payload", 2), ("entry", "at", 3), ("entry", "kind", 1),
    ("entry", "data_set", 2), ("entry", "id", 1), ("entry", "hash", 3), ("entry", "previous_hash", 2),
    ("attachment", "content", 1),
], quick=1))  # fmt: skip
def test_a_changed_row_of_the_ledger_is_found(by_command, table, column, row):
    """Whoever can write the database file can change a row; the check says that it was changed."""
    run, folder, _, ledger = by_command
    raw = Raw(ledger)
    raw.drop_triggers()
    [(at, value)] = raw.execute(
        f"SELECT rowid, {column} FROM {table} ORDER BY rowid LIMIT 1 OFFSET {row - 1}"
    )
    middle = len(value) // 2
    one = value[middle : middle + 1]
    other = bytes([one[0] ^ 1]) if isinstance(value, bytes) else chr(ord(one) ^ 1)
    changed = value[:middle] + other + value[middle + 1 :]
    raw.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", changed, at)
    code, said = run("history", "--check")
    assert code == 1, said
    code, said = run("verify", folder, "--ledger", ledger)
    assert code == 1, said


@pytest.mark.slow
def test_a_ledger_that_was_cut_is_found(by_command):
    """The last rows and the head are taken away together: this machine remembers what it saw."""
    run, _, _, ledger = by_command
    raw = Raw(ledger)
    raw.drop_triggers()
    [(sequence, digest)] = raw.execute("SELECT sequence, hash FROM entry WHERE sequence = 2")
    raw.execute("DELETE FROM entry WHERE sequence > 2")
    for _, column, *_ in raw.execute("PRAGMA table_info(chain_head)"):
        for word, value in (("hash", digest), ("sequence", sequence)):
            if word in column:
                raw.execute(f"UPDATE chain_head SET {column} = ?", value)
    code, said = run("history", "--check")
    assert code == 1, said


@pytest.mark.slow
def test_a_policy_that_demands_a_signature_blocks_without_a_key(place, tmp_path):
    """Nothing unsigned is published under it, nor what another key signed."""
    release = {"data_set": "people", "earlier_releases": "unrelated", "signature": "required"}
    made = place.release(people(), policy(release=release))
    assert not made.is_published
    assert "qidguard keys new" in made.reasons[0]
    mine = new_key_pair(tmp_path / "keys", "mine")
    new_key_pair(tmp_path / "keys", "other")
    asked = policy(release=release | {"signers": [mine.text]})
    assert not place.release(people(), asked, key=str(tmp_path / "keys" / "other.key")).is_published
    assert place.release(people(), asked, key=str(tmp_path / "keys" / "mine.key")).is_published
