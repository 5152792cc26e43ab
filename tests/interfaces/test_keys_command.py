import stat
from pathlib import Path

import pytest

from qidguard.evidence.keys import load_private_key, load_public_key


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    """Show paths whole, and know no passphrase."""
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.delenv("QIDGUARD_KEY_PASSPHRASE", raising=False)


def test_a_new_pair_is_in_the_home_folder(run, tmp_path):
    """Standard output says where both files are, the id and the text; what to do with them is said aside."""
    code, out, err = run("keys", "new")
    assert code == 0
    folder = tmp_path / "home" / "keys"
    key = load_public_key(folder / "signing.pub")
    assert out.splitlines() == [
        f"private  {folder}/signing.key  (for you alone, not encrypted)",
        f"public   {folder}/signing.pub",
        f"id       {key.id}",
        f"text     {key.text}",
    ]
    assert "Keep the private key private" in err
    assert "qidguard verify --trust" in err
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert load_private_key(folder / "signing.key").public == key


def test_name_and_folder_are_free(run):
    """A pair for an approver, where it is asked for; a path cannot act on the terminal."""
    assert run("keys", "new", "--name", "approver", "--folder", "deep/keys")[0] == 0
    assert sorted(p.name for p in Path("deep/keys").iterdir()) == ["approver.key", "approver.pub"]
    _, out, err = run("keys", "new", "--folder", "a\x1b[2Jb")
    assert ("\x1b" in out + err, r"a\x1b[2Jb" in out) == (False, True)


def test_a_pair_is_never_overwritten_and_its_private_key_never_shown(run, tmp_path):
    """The second time is exit 2 and the first stays; show says id and text of a .pub, nothing of a .key."""
    made = run("keys", "new")
    private = tmp_path / "home" / "keys" / "signing.key"
    before = private.read_text(encoding="ascii")
    code, out, err = run("keys", "new")
    assert (code, out, "never overwritten" in err) == (2, "", True)
    assert private.read_text(encoding="ascii") == before
    key = load_public_key(private.with_suffix(".pub"))
    shown = run("keys", "show", "home/keys/signing.pub")
    assert shown == (0, f"id       {key.id}\ntext     {key.text}\n", "")
    code, out, err = run("keys", "show", "home/keys/signing.key")
    assert (code, out, "private key" in err) == (2, "", True)
    lines = before.splitlines()
    assert len(lines) >= 3
    assert [line for line in lines if line in "".join(map(str, made + shown)) + err] == []


def test_the_passphrase_comes_from_the_surroundings(run, tmp_path, monkeypatch):
    """Not from the command line, where every process of the machine could read it; and it is not repeated."""
    monkeypatch.setenv("QIDGUARD_KEY_PASSPHRASE", "correct horse")
    code, out, err = run("keys", "new")
    assert code == 0
    assert "(for you alone, encrypted)" in out
    assert "horse" not in out + err
    assert load_private_key(tmp_path / "home" / "keys" / "signing.key", "correct horse")
    monkeypatch.setenv("QIDGUARD_KEY_PASSPHRASE", "")
    assert run("keys", "new", "--name", "other")[0] == 2


@pytest.mark.parametrize(
    "arguments", [("new", "--name", "../x"), ("new", "--name", ""), ("show", "none.pub"), ("show",)]
)
def test_a_mistake_is_exit_2(run, arguments, tmp_path):
    """One sentence, and nothing is made."""
    code, out, err = run("keys", *arguments)
    assert (code, out) == (2, "")
    assert err
    assert not (tmp_path / "home").exists()


def test_a_key_has_one_role_and_is_refused_for_the_other(run, tmp_path):
    """Given when it is made or later; an approver's key releases nothing, a release key approves nothing."""
    keys = tmp_path / "home" / "keys"
    run("keys", "new")
    run("keys", "new", "--name", "officer", "--role", "approver")
    run("keys", "new", "--name", "guest")
    roles = [line.split()[0] for line in (keys / "roles.txt").read_text().splitlines()]
    assert roles == ["release", "approver"]
    code, out, _ = run("keys", "trust", str(keys / "guest.pub"))
    assert (code, out.split()[1]) == (0, "release")
    code, out, err = run("keys", "trust", str(keys / "officer.pub"))
    assert (code, out, "a key has one role" in err) == (2, "", True)
    Path("t.csv").write_text("age\n1\n1\n")
    Path("p.yaml").write_text(
        "qidguard: 1\nname: p\nroles: {quasi_identifiers: [age]}\n"
        "thresholds: [{metric: k_anonymity, at_least: 3}]\n"
    )
    arguments = ("release", "t.csv", "--policy", "p.yaml", "--to", "out")
    code, _, err = run(*arguments, "--key", str(keys / "officer.key"))
    assert (code, "who approves cannot release too" in err) == (2, True)
    assert run(*arguments)[0] == 1
    code, _, err = run(
        *("exception", "new", "audit-1", "--covers", "k_anonymity", "--reason", "x", "--until", "2999-01-01"),
        *("--key", str(keys / "signing.key")),
    )
    assert (code, "who releases cannot approve too" in err) == (2, True)
