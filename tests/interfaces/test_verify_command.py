from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from ledger_book import said
from qidguard.ledger import NewEntry, open_ledger
from raw_ledger import Raw
from released import POLICY, contents, new_key, write

PLACE = "published/patients/20261121-000001"
NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
EXCEPTION = {
    "id": "exception-1",
    "by": "A. Roe",
    "key_id": "d" * 64,
    "reason": "It is needed.",
    "expires": "2026-12-31",
    "thresholds": ["k_anonymity ≥ 5"],
}


@pytest.fixture(autouse=True)
def _home(monkeypatch, tmp_path):
    """Give each test a home folder of its own."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))


@pytest.fixture
def key():
    """Return the key that signs."""
    return new_key()


@pytest.fixture
def release(key):
    """Return the folder of a signed release."""
    return write(PLACE, contents(key))


def test_a_sound_release_is_one_line(run, release, key):
    """Exit 0: which release, how many files, whose word, under which policy."""
    digest = sha256(POLICY).hexdigest()
    line = f"1 file, signed by key {key.public.id[:12]}…, policy clinic {digest[:12]}…"
    assert run("verify", release, "--key", key.public.text) == (
        0,
        f"VERIFIED  patients 20261121-000001: {line}\n",
        "",
    )


def test_each_fault_is_a_line(run, release, key):
    """Exit 1, and every file that is not as it was is named."""
    write(release, {"patients.csv": b"", "more.csv": b""})
    code, out, err = run("verify", release, "--key", key.public.text)
    assert (code, err) == (1, "")
    first, *rest = out.splitlines()
    assert first.startswith("NOT VERIFIED  ")
    assert first.endswith(": 3 faults")
    assert rest[:2] == [
        "  more.csv is not in the manifest.",
        "  patients.csv has 0 bytes, and the manifest says 28.",
    ]
    assert "SHA-256 of patients.csv" in rest[2]


def test_keys_are_files_or_texts_or_those_of_the_home_folder(run, release, key, tmp_path):
    """--trust goes first; without it those of role release are trusted, and no other file of a folder."""
    code, out, _ = run("verify", release)
    assert code == 1
    assert "give the public key with --trust" in out
    keys = tmp_path / "home" / "keys"
    keys.mkdir(parents=True, mode=0o700)
    (keys / "partner.pub").write_text(key.public.text + "\n", encoding="ascii")
    for path in (keys, keys / "partner.pub"):
        path.chmod(path.stat().st_mode & ~0o022)
    code, _, err = run("verify", release)
    assert code == 1
    assert "has no role, so it is trusted for nothing" in err
    assert run("verify", release, "--trust", key.public.id)[0] == 0
    assert run("verify", release, "--trust", "0" * 64)[0] == 2
    assert run("keys", "trust", str(keys / "partner.pub"))[0] == 0
    assert run("verify", release)[0] == 0
    assert run("keys", "trust", key.public.text, "--role", "approver")[0] == 2
    assert run("verify", release, "--key", str(keys / "partner.pub"))[0] == 0
    assert run("verify", release, "--key", new_key().public.text, "--key", key.public.text)[0] == 0
    assert run("verify", release, "--key", new_key().public.text)[0] == 1


def test_an_unsigned_release_needs_to_be_asked_for(run, key):
    """Exit 1 without --unsigned; with it exit 0, and both lines say what that means."""
    write(PLACE, contents(None))
    assert run("verify", PLACE, "--key", key.public.text)[0] == 1
    code, out, err = run("verify", PLACE, "--unsigned")
    assert code == 0
    assert "signed by nobody" in out
    assert "could have changed the digests too" in err


def test_the_policy_is_compared(run, release, key):
    """The file that it was judged by is exit 0, another one is exit 1."""
    Path("p.yaml").write_bytes(POLICY)
    assert run("verify", release, "--key", key.public.text, "--policy", "p.yaml")[0] == 0
    Path("p.yaml").write_bytes(POLICY + b"# more\n")
    code, out, _ = run("verify", release, "--key", key.public.text, "--policy", "p.yaml")
    assert code == 1
    assert "SHA-256 of the policy file is not what the manifest says" in out


def test_a_policy_says_whose_word_counts(run, key):
    """Its signers are trusted, whatever the home folder says."""
    signed_by = "release: {{signers: ['{}']}}\n"
    for text, expected in (
        (signed_by.format(key.public.text), 0),
        (signed_by.format(new_key().public.text), 1),
    ):
        Path("p.yaml").write_text(POLICY.decode() + text)
        digest = sha256(Path("p.yaml").read_bytes()).hexdigest()
        write(PLACE, contents(key, policy={"name": "clinic", "sha256": digest, "preset": None}))
        code, out, _ = run("verify", PLACE, "--policy", "p.yaml")
        assert code == expected, out
    assert "not among release.signers of the policy" in out


def test_an_exception_by_the_releasing_key_is_a_fault(run, key):
    """Who releases cannot approve, whatever the policy lists."""
    approver = f"exceptions: {{approvers: [{{name: A. Roe, key: '{key.public.text}'}}]}}\n"
    Path("p.yaml").write_text(POLICY.decode() + approver)
    policy = {"name": "clinic", "sha256": sha256(Path("p.yaml").read_bytes()).hexdigest(), "preset": None}
    own = EXCEPTION | {"key_id": key.public.id}
    write(PLACE, contents(key, policy=policy, outcome="passed_by_exception", exceptions=(own,)))
    code, out, _ = run("verify", PLACE, "--policy", "p.yaml", "--trust", key.public.text)
    assert code == 1
    assert "who releases cannot approve" in out


def test_the_release_that_is_expected_is_compared(run, release, key):
    """A sound release of another day or data set in its place is exit 1 for who names this one."""
    arguments = ("verify", release, "--key", key.public.text)
    assert run(*arguments, "--data-set", "patients", "--release", "20261121-000001")[0] == 0
    assert run(*arguments, "--data-set", "visits")[0] == 1
    assert run(*arguments, "--release", "20261122-000001")[0] == 1


def test_a_release_by_exception_says_so(run, key):
    """In the one line, and in full beside it."""
    write(PLACE, contents(key, outcome="passed_by_exception", exceptions=(EXCEPTION,)))
    code, out, err = run("verify", PLACE, "--key", key.public.text)
    assert code == 0
    assert out.endswith("let through by exception\n")
    assert "exception-1" in err
    assert "2026-12-31" in err


def test_names_that_act_on_a_terminal_are_escaped(run, release, key):
    """A file's name in a fault, and a text of the manifest in a note."""
    write(release, {"a\x1b[2Jb": b""})
    code, out, err = run("verify", release, "--key", key.public.text)
    assert code == 1
    assert "\x1b" not in out + err
    assert r"a\x1b[2Jb is not in the manifest" in out
    loud = EXCEPTION | {"reason": "\x1b[2J\u202enice"}
    write("other", contents(key, outcome="passed_by_exception", exceptions=(loud,)))
    expected = ("--data-set", "patients", "--release", "20261121-000001")
    code, out, err = run("verify", "other", "--key", key.public.text, *expected)
    assert code == 0
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err


def test_many_faults_are_counted(run, release, key):
    """Fifty are listed, and how many more there are."""
    write(release, {f"x{number}.csv": b"" for number in range(60)})
    _, out, _ = run("verify", release, "--key", key.public.text)
    assert out.splitlines()[0].endswith("60 faults")
    assert out.splitlines()[-1] == "  and 10 more"
    assert len(out.splitlines()) == 52


@pytest.mark.parametrize("arguments", [
    ("no-such-folder",),
    (PLACE, "--key", "ed25519:abc"),
    (PLACE, "--key", "no-such.pub"),
    (PLACE, "--policy", "no-such.yaml"),
    (PLACE, "--policy", "."),
    (f"{PLACE}/manifest.json",),
    ("nonsense://x",),
    (),
])  # fmt: skip
def test_a_mistake_is_exit_2(run, release, arguments):
    """One sentence on standard error, and no word of a verification."""
    assert release == PLACE
    code, out, err = run("verify", *arguments)
    assert (code, out) == (2, "")
    assert err


@pytest.fixture
def recorded(key):
    """Return a function that records an audit, and a promise for each of some changes of its payload."""

    def record(*promises: dict, kinds: tuple[str, ...] = ()) -> tuple[str, ...]:
        with open_ledger("ledger.db") as ledger:
            audited = ledger.append(
                NewEntry(id="audit-1", kind="audited", data_set="patients", at=NOW, payload=said("audited"))
            )
            anchor = {"hash": audited.hash}
            files = contents(key, predicate_changes={"ledger": anchor})
            write(PLACE, files)
            found = {
                f"{name}_sha256": sha256(files[f"{name}.json"]).hexdigest()
                for name in ("manifest", "attestation")
            }
            for number, changes in enumerate(promises):
                own = {"audit_id": f"a-{number}", "release_id": "20261121-000001"} | found | changes
                kind = kinds[number] if kinds else "releasing"
                payload = said(kind, **own)
                entry = NewEntry(
                    id=f"{kind}-{number}", kind=kind, data_set="patients", at=NOW, payload=payload
                )
                ledger.append(entry)
        return ("verify", PLACE, "--key", key.public.text, "--ledger", "ledger.db")

    return record


def test_a_release_that_the_ledger_knows_is_verified(run, recorded, tmp_path):
    """The audit is there with its hash, and the promise names the digests of both files."""
    code, out, err = run(*recorded({}))
    assert (code, err) == (0, "")
    assert out.startswith("VERIFIED  ")
    assert not (tmp_path / "home").exists()  # to verify leaves nothing behind


@pytest.mark.slow
def test_a_release_that_was_promised_again_after_it_was_abandoned_is_verified(run, recorded):
    """Only the last promise counts."""
    arguments = recorded(
        {"manifest_sha256": "0" * 64},
        {"audit_id": "a-0"},
        {"audit_id": "a-2"},
        kinds=("releasing", "abandoned", "releasing"),
    )
    assert run(*arguments)[0] == 0


def test_a_release_that_was_withdrawn_is_not_verified(run, recorded, key):
    """By the ledger, with its reason; the files alone are as good as they were."""
    arguments = recorded({})
    payload = said("withdrawn", audit_id="a-0", release_id="20261121-000001", reason="asked for")
    with open_ledger("ledger.db") as ledger:
        ledger.append(NewEntry(id="w", kind="withdrawn", data_set="patients", at=NOW, payload=payload))
    code, out, _ = run(*arguments)
    assert code == 1
    assert "release 20261121-000001 was withdrawn on 2026-11-21: asked for" in out
    assert run("verify", PLACE, "--trust", key.public.text)[0] == 0


@pytest.mark.parametrize(("promises", "kinds", "words"), [
    ((), (), "The ledger knows no release 20261121-000001."),
    (({"release_id": "other"},), (), "The ledger knows no release 20261121-000001."),
    (({"manifest_sha256": "0" * 64},), (), "SHA-256 of manifest.json is not what the ledger says"),
    (({"attestation_sha256": "1" * 64},), (), "SHA-256 of attestation.json is not what the ledger says"),
    (({}, {"audit_id": "a-0"}), ("releasing", "abandoned"),
     "The ledger says that release 20261121-000001 was never published."),
])  # fmt: skip
def test_a_release_that_the_ledger_does_not_know_is_not_verified(run, recorded, promises, kinds, words):
    """Unknown, of other digests, or given up."""
    code, out, _ = run(*recorded(*promises, kinds=kinds))
    assert code == 1
    assert words in out


def test_an_attestation_that_names_no_entry_of_this_ledger_is_not_verified(run, recorded, key):
    """Another hash at that place, or none named at all."""
    arguments = recorded({})
    write(PLACE, contents(key))
    assert "The ledger has no entry of patients with the hash" in run(*arguments)[1]
    write(PLACE, contents(key, predicate_changes={"ledger": None}))
    code, out, _ = run(*arguments)
    assert code == 1
    assert "attestation.json names no entry of a ledger." in out


def test_a_ledger_whose_chain_is_broken_vouches_for_nothing(run, recorded):
    """One character of an old entry, changed behind the ledger's back."""
    arguments, raw = recorded({}), Raw("sqlite:///ledger.db")
    raw.drop_triggers()
    changed = """UPDATE entry SET payload = replace(payload, '"a0"', '"a1"') WHERE kind = 'audited'"""
    raw.execute(changed)
    assert raw.execute("SELECT payload FROM entry")[0][0].count('"audit_id":"a1"') == 1
    code, out, _ = run(*arguments)
    assert code == 1
    assert out.startswith("NOT VERIFIED")
    assert "entry 1 was changed: its hash is not that of its content" in out


def test_a_ledger_that_is_not_there_is_exit_2(run, release, key):
    """It is not made, and a release is not looked for in an empty one."""
    code, out, _ = run("verify", release, "--key", key.public.text, "--ledger", "none.db")
    assert (code, out) == (2, "")
    assert not Path("none.db").exists()


def test_a_broken_release_is_not_looked_for(run, release, key):
    """Without a manifest there is no name to look for, and the fault is said already."""
    write(release, {"manifest.json": b""})
    with open_ledger("ledger.db"):
        pass
    code, out, _ = run("verify", release, "--key", key.public.text, "--ledger", "ledger.db")
    assert code == 1
    assert "manifest.json is not as it was written" in out
