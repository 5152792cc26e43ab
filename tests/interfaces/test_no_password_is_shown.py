"""Wherever an address is typed, its password is nowhere in what is said, kept or raised."""

import traceback

import pytest

from addresses import ADDRESSES, FEW
from addresses import PASSWORD as SECRET
from qidguard import audit, release, verify
from qidguard.core.address import secrets_in, shown_address
from releases import at_least, once

POLICY = """qidguard: 1
name: clinic
roles: {{quasi_identifiers: [sex, age], sensitive: [illness], insensitive: [city]}}
thresholds: [{{metric: k_anonymity, at_least: 2}}]
{more}
"""
PLACES = {
    "audit": ("audit", "ADDRESS", "--policy", "p.yaml"),
    "audit, recorded": ("audit", "table.csv", "--policy", "p.yaml", "--record", "--ledger", "ADDRESS"),
    "discover": ("discover", "ADDRESS"),
    "init": ("policy", "init", "ADDRESS"),
    "anonymize": ("anonymize", "table.csv", "--policy", "p.yaml", "--to", "ADDRESS"),
    "release, source": ("release", "ADDRESS", "--policy", "p.yaml", "--to", "out"),
    "release, to": ("release", "table.csv", "--policy", "p.yaml", "--to", "ADDRESS"),
    "release, ledger": ("release", "table.csv", "--policy", "p.yaml", "--to", "out", "--ledger", "ADDRESS"),
    "history": ("history", "--ledger", "ADDRESS"),
    "show": ("show", "audit-1", "--ledger", "ADDRESS"),
    "withdraw": ("withdraw", "people", "r1", "--reason", "x", "--ledger", "ADDRESS"),
    "revoke": ("exception", "revoke", "e1", "--reason", "x", "--ledger", "ADDRESS"),
    "verify": ("verify", "ADDRESS"),
    "verify, trust": ("verify", "out", "--trust", "ADDRESS"),
    "policy": ("policy", "check", "ADDRESS"),
}
IN_POLICY = {
    "source": "source: {path: ADDRESS}",
    "population": "population: {path: ADDRESS}",
    "destination": "release: {destination: ADDRESS, earlier_releases: unrelated}",
    "hierarchy": "hierarchies: {age: ADDRESS}",
    "data set": "release: {data_set: ADDRESS}",
    "preset": "preset: ADDRESS",
}


def _slow_beside_few(names):
    return [n if n in FEW else pytest.param(n, marks=pytest.mark.slow) for n in names]


pytestmark = pytest.mark.usefixtures("memory")  # one of the addresses is there


def kept(folder):
    """Return every byte that was written, but the policy that the address was typed into."""
    files = (p for p in folder.rglob("*") if p.is_file() and p.name != "p.yaml")
    return b"".join(str(p).encode() + p.read_bytes() for p in files)


@pytest.mark.parametrize("name", ADDRESSES)
def test_one_function_hides_it_and_knows_what_to_mask(name):
    """In every way to write it; what is masked is the password itself, not a part of it."""
    assert SECRET not in shown_address(ADDRESSES[name])
    assert shown_address(ADDRESSES[name]) != ADDRESSES[name]
    assert any(SECRET in secret for secret in secrets_in(ADDRESSES[name]))


PLAIN = (
    *("data/table.csv", "/srv/a:b.csv", "s3://bucket/a@b/c.csv", "https://h:80/a@b.csv", "a=b.csv"),
    *("sqlite:////srv/a.db", "memory://published", "abfs://box@account/x", "C:\\data\\t.csv"),
)


@pytest.mark.parametrize("address", PLAIN)
def test_an_address_without_a_password_stays_as_it_is(address):
    """What is no secret is needed to find the place."""
    assert shown_address(address) == address


@pytest.mark.samples(15)
@pytest.mark.parametrize("name", _slow_beside_few(ADDRESSES))
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.usefixtures("table")
def test_a_command_shows_no_password(run, tmp_path, place, name):
    """On the command line, in each option that takes an address; nothing of it is kept either."""
    (tmp_path / "p.yaml").write_text(POLICY.format(more=""))
    arguments = [ADDRESSES[name] if a == "ADDRESS" else a for a in PLACES[place]]
    code, out, err = run(*arguments)
    assert SECRET not in out + err
    assert code in {0, 1, 2, 3}
    assert SECRET.encode() not in kept(tmp_path)


@pytest.mark.parametrize("judged", [(), ("--policy", "p.yaml")])
def test_the_command_that_comes_next_shows_no_password(run, memory, tmp_path, judged):
    """Where the table is read, so is what a person does next: its address in it."""
    memory.pipe(ADDRESSES["store"], b"sex,age,illness,city\nf,30,flu,a\nm,40,flu,b\n")
    (tmp_path / "p.yaml").write_text(POLICY.format(more=""))
    (tmp_path / "names.csv").write_text("name,label\nsex,sex\n")
    code, out, err = run("audit", ADDRESSES["store"], "--codebook", "names.csv", "--no-advice", *judged)
    assert SECRET not in out + err
    assert code == (1 if judged else 0)
    assert "memory://bucket/table.csv --codebook names.csv" in " ".join(out.replace("\\", " ").split())


@pytest.mark.samples(3)
@pytest.mark.parametrize("name", _slow_beside_few(ADDRESSES))
@pytest.mark.parametrize("place", IN_POLICY)
@pytest.mark.usefixtures("table")
def test_a_policy_shows_no_password(run, tmp_path, place, name):
    """Written into the policy, where it belongs or where it does not; the ledger keeps none of it."""
    more = IN_POLICY[place].replace("ADDRESS", '"' + ADDRESSES[name] + '"')
    (tmp_path / "p.yaml").write_text(POLICY.format(more=more))
    source = () if place == "source" else ("table.csv",)
    to = () if place == "destination" else ("--to", "out")
    for arguments in (("audit", *source), ("release", *source, *to)):
        _, out, err = run(*arguments, "--policy", "p.yaml")
        assert SECRET not in out + err
    assert SECRET.encode() not in kept(tmp_path)


@pytest.mark.parametrize("name", _slow_beside_few(ADDRESSES))
def test_an_exception_of_python_shows_no_password(tmp_path, name):
    """The error with all that it was raised from; the lines of the test itself name no address."""
    policy = once(roles={"quasi_identifiers": ["a"]}, thresholds=at_least(k_anonymity=2))
    address = ADDRESSES[name]
    table = tmp_path / "t.csv"
    table.write_text("a\n1\n1\n")
    for call in (
        lambda: audit(address, policy=policy),
        lambda: release(address, policy=policy, to=str(tmp_path / "out")),
        lambda: release(str(table), policy=policy, to=str(tmp_path / "o"), ledger=address),
        lambda: verify(address),
    ):
        with pytest.raises(Exception) as error:  # noqa: PT011 - whichever it is, it shows nothing
            call()
        assert SECRET not in "".join(traceback.format_exception(error.value))
