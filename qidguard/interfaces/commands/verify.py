"""``qidguard verify``: whether a release is byte for byte what was published, and whose word that is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.screen import say
from qidguard.report.printable import visible

if TYPE_CHECKING:
    from qidguard.evidence.keys import PublicKey
    from qidguard.evidence.verification import Verification

MOST_FAULTS = 50
"""More faults than this are counted and not listed."""

_LARGEST_POLICY_BYTES = 1_000_000


@click.command("verify", short_help="Check that a release is what was published, and who signed it.")
@click.argument("folder")
@click.option(
    "--key",
    "keys",
    metavar="FILE|TEXT",
    multiple=True,
    help="A public key that is trusted; repeat it.  [default: those in the keys folder]",
)
@click.option("--policy", "-p", metavar="FILE", help="The policy that it should have been judged by.")
@click.option("--data-set", metavar="NAME", help="The data set that it should be a release of.")
@click.option("--release", "release_id", metavar="ID", help="The release that it should be.")
@click.option("--unsigned", is_flag=True, help="Accept a release that nobody signed.")
@click.option(
    "--ledger", metavar="URL", help="Also look for it in this ledger, and check the ledger's chain."
)
def verify_command(
    *,
    folder: str,
    keys: tuple[str, ...],
    policy: str | None,
    data_set: str | None,
    release_id: str | None,
    unsigned: bool,
    ledger: str | None,
) -> ExitCode:
    """Check the release in FOLDER: digests, signature, manifest and attestation, and what else is given.

    FOLDER is a path or an address that fsspec opens. Nothing but the folder and a public key is needed.

    Exit code: 0 verified, 1 something does not match, 2 a mistake in what was given, 3 the ledger or qidguard
    itself failed.
    """
    from qidguard.evidence.verify import verify_release

    found = verify_release(
        folder,
        keys=_keys(keys),
        policy_bytes=None if policy is None else _policy_bytes(policy),
        is_unsigned_allowed=unsigned,
        data_set=data_set,
        release_id=release_id,
    )
    if policy is not None:
        from qidguard.interfaces.policy_faults import policy_faults

        found = replace(found, faults=found.faults + policy_faults(policy, found))
    if ledger is not None:
        from qidguard.interfaces.ledger_faults import ledger_faults

        found = replace(found, faults=found.faults + ledger_faults(ledger, found))
    for line in _lines(found):
        click.echo(visible(line))
    for note in found.notes:
        say(f"Note: {note}")
    return ExitCode.PASSED if found.is_verified else ExitCode.BLOCKED


def _lines(found: "Verification") -> Iterator[str]:
    if found.is_verified:
        yield _verified(found)
        return
    yield f"NOT VERIFIED  {found.label}: {len(found.faults):,} {_plural('fault', len(found.faults))}"
    yield from (f"  {fault}" for fault in found.faults[:MOST_FAULTS])
    if len(found.faults) > MOST_FAULTS:
        yield f"  and {len(found.faults) - MOST_FAULTS:,} more"


def _verified(found: "Verification") -> str:
    manifest = found.manifest
    assert manifest is not None  # noqa: S101 - nothing is verified without one
    files = f"{len(manifest.files):,} {_plural('file', len(manifest.files))}"
    by = "signed by nobody" if found.signed_by is None else f"signed by key {found.signed_by.id[:12]}…"
    parts = [files, by, f"policy {manifest.policy['name']} {manifest.policy['sha256'][:12]}…"]
    if manifest.exceptions:
        parts.append("let through by exception")
    return f"VERIFIED  {manifest.data_set} {manifest.release_id}: {', '.join(parts)}"


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _keys(given: Sequence[str]) -> "tuple[PublicKey, ...]":
    from qidguard.evidence.home import Home
    from qidguard.evidence.keys import load_public_key, trusted_keys

    if given:
        return tuple(load_public_key(key) for key in given)
    return trusted_keys(Home.at().keys_folder)


def _policy_bytes(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            content = file.read(_LARGEST_POLICY_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not a path"
        raise UserError(f"the policy {name!r} cannot be read ({why}); check its name and rights") from None
    if len(content) > _LARGEST_POLICY_BYTES:
        raise UserError(f"{name!r} is larger than a policy may be (1 MB); is it the table?")
    return content
