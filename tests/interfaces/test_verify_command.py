from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from ledger_book import said
from qidguard.ledger import NewEntry, open_ledger
from raw_ledger import Raw
from released import EXCEPTION, POLICY, contents, new_key, write

PLACE = "published/patients/20261121-000001"
NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)


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
    assert (code, "give the public key with --trust" in out) == (1, True)
    keys = tmp_path / "home" / "keys"
    keys.mkdir(parents=True, mode=0o700)
    partner = keys / "partner.pub"
    partner.write_text(key.public.text + "\n", encoding="ascii")
    for path in (keys, partner):
        path.chmod(path.stat().st_mode & ~0o022)
    code, _, err = run("verify", release)
    assert (code, "has no role, so it is trusted for nothing" in err) == (1, True)
    stranger = new_key().public.text
    for arguments, expected in (
        (("verify", release, "--trust", key.public.id), 0),
        (("verify", release, "--trust", "0" * 64), 2),
        (("keys", "trust", str(partner)), 0),
        (("verify", release), 0),
        (("keys", "trust", key.public.text, "--role", "approver"), 2),
        (("verify", release, "--key", str(partner)), 0),
        (("verify", release, "--key", stranger, "--key", key.public.text), 0),
        (("verify", release, "--key", stranger), 1),
    ):
        assert (arguments, run(*arguments)[0]) == (arguments, expected)


def test_a_release_that_is_less_than_signed_and_sound_says_so(run, key):
    """Unsigned is exit 1 unless asked for, and told; an exception stands in the line and beside it."""
    write(PLACE, contents(None))
    assert run("verify", PLACE, "--key", key.public.text)[0] == 1
    code, out, err = run("verify", PLACE, "--unsigned")
    assert (code, "signed by nobody" in out, "could have changed the digests too" in err) == (0, True, True)
    write(PLACE, contents(key, outcome="passed_by_exception", exceptions=(EXCEPTION,)))
    code, out, err = run("verify", PLACE, "--key", key.public.text)
    assert (code, out.endswith("let through by exception\n")) == (0, True)
    assert ("exception-1" in err, "2026-12-31" in err) == (True, True)


def test_what_is_expected_is_compared(run, release, key):
    """The policy that it was judged by, the data set and the release are exit 0; another one is exit 1."""
    Path("p.yaml").write_bytes(POLICY)
    Path("other.yaml").write_bytes(POLICY + b"# more\n")
    for more, expected in (
        (("--policy", "p.yaml"), 0),
        (("--policy", "other.yaml"), 1),
        (("--data-set", "patients", "--release", "20261121-000001"), 0),
        (("--data-set", "visits"), 1),
        (("--release", "20261122-000001"), 1),
    ):
        code, out, _ = run("verify", release, "--key", key.public.text, *more)
        assert (more, code) == (more, expected)
        differs = "SHA-256 of the policy file is not what the manifest says" in out
        assert differs == (more[1] == "other.yaml")


def test_a_policy_says_whose_word_counts(run, key):
    """Its signers are trusted, whatever the home folder says; who releases cannot approve."""
    signed_by = "release: {{signers: ['{}']}}\n"
    approver = f"exceptions: {{approvers: [{{name: A. Roe, key: '{key.public.text}'}}]}}\n"
    own = EXCEPTION | {"key_id": key.public.id}
    by_itself = {"outcome": "passed_by_exception", "exceptions": (own,)}
    for text, more, given, expected, words in (
        (signed_by.format(key.public.text), {}, (), 0, "VERIFIED"),
        (signed_by.format(new_key().public.text), {}, (), 1, "not among release.signers of the policy"),
        (approver, by_itself, ("--trust", key.public.text), 1, "who releases cannot approve"),
    ):
        Path("p.yaml").write_text(POLICY.decode() + text)
        digest = sha256(Path("p.yaml").read_bytes()).hexdigest()
        write(PLACE, contents(key, policy={"name": "clinic", "sha256": digest, "preset": None}, **more))
        code, out, _ = run("verify", PLACE, "--policy", "p.yaml", *given)
        assert (code, words in out) == (expected, True), out


def test_names_that_act_on_a_terminal_are_escaped(run, release, key):
    """A file's name in a fault, and a text of the manifest in a note."""
    write(release, {"a\x1b[2Jb": b""})
    loud = EXCEPTION | {"reason": "\x1b[2J\u202enice"}
    write("other", contents(key, outcome="passed_by_exception", exceptions=(loud,)))
    for folder, expected, words in ((release, 1, r"a\x1b[2Jb is not in the manifest"), ("other", 0, "")):
        named = ("--data-set", "patients", "--release", "20261121-000001")
        code, out, err = run("verify", folder, "--key", key.public.text, *named)
        assert (code, words in out) == (expected, True)
        assert [sign for sign in ("\x1b", "\u202e") if sign in out + err] == []


def test_many_faults_are_counted(run, release, key):
    """Fifty are listed, and how many more there are."""
    write(release, {f"x{number}.csv": b"" for number in range(60)})
    lines = run("verify", release, "--key", key.public.text)[1].splitlines()
    assert (lines[0].endswith("60 faults"), lines[-1], len(lines)) == (True, "  and 10 more", 52)


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

            def add(name: str, kind: str, **payload: str):
                about = {"kind": kind, "data_set": "patients", "at": NOW}
                return ledger.append(NewEntry(id=name, payload=said(kind, **payload), **about))

            files = contents(key, predicate_changes={"ledger": {"hash": add("audit-1", "audited").hash}})
            write(PLACE, files)
            found = {
                f"{name}_sha256": sha256(files[f"{name}.json"]).hexdigest()
                for name in ("manifest", "attestation")
            }
            for number, changes in enumerate(promises):
                own = {"audit_id": f"a-{number}", "release_id": "20261121-000001"} | found | changes
                kind = kinds[number] if kinds else "releasing"
                add(f"{kind}-{number}", kind, **own)
        return ("verify", PLACE, "--key", key.public.text, "--ledger", "ledger.db")

    return record


ABANDONED = ({"manifest_sha256": "0" * 64}, {"audit_id": "a-0"}, {"audit_id": "a-2"})


@pytest.mark.parametrize(("promises", "kinds"), [
    (({},), ()), (ABANDONED, ("releasing", "abandoned", "releasing")),
], ids=["once", "again"])  # fmt: skip
def test_a_release_that_the_ledger_knows_is_verified(run, recorded, tmp_path, promises, kinds):
    """The audit is there with its hash, and the last promise names the digests of both files."""
    code, out, err = run(*recorded(*promises, kinds=kinds))
    assert (code, err) == (0, "")
    assert out.startswith("VERIFIED  ")
    assert not (tmp_path / "home").exists()  # to verify leaves nothing behind


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
    raw.execute("""UPDATE entry SET payload = replace(payload, '"a0"', '"a1"') WHERE kind = 'audited'""")
    assert raw.execute("SELECT payload FROM entry")[0][0].count('"audit_id":"a1"') == 1
    code, out, _ = run(*arguments)
    assert (code, out.startswith("NOT VERIFIED")) == (1, True)
    assert "entry 1 was changed: its hash is not that of its content" in out


def test_a_release_is_not_looked_for_where_nothing_can_be_found(run, release, key):
    """A ledger that is not there is exit 2 and not made; a release without a manifest has no name."""
    arguments = ("verify", release, "--key", key.public.text, "--ledger")
    assert run(*arguments, "none.db")[:2] == (2, "")
    assert not Path("none.db").exists()
    write(release, {"manifest.json": b""})
    with open_ledger("ledger.db"):
        pass
    code, out, _ = run(*arguments, "ledger.db")
    assert (code, "manifest.json is not as it was written" in out) == (1, True)
