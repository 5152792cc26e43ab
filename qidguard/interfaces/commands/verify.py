"""``qidguard verify``: whether a release is byte for byte what was published, and whose word that is."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.screen import say
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from qidguard.evidence.verify import Verification

MOST_FAULTS = 50
"""More faults than this are counted and not listed."""


@click.command("verify", short_help="Check that a release is what was published, and who signed it.")
@click.argument("folder")
@click.option(
    "--trust",
    "--key",
    "keys",
    metavar="FILE|TEXT|ID",
    multiple=True,
    help="A public key that is trusted; repeat it.  "
    "[default: the policy's signers, else keys of role release]",
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
    """Check the release in FOLDER: digests, signature, names, manifest, attestation, and what else is given.

    FOLDER is a path or an address that fsspec opens. Nothing but the folder and a public key is needed. It is
    not verified where the folder is a link, is not called as what is signed (say --release and --data-set for
    a copy that is called otherwise), or was withdrawn: by a notice beside it, or by the ledger.

    Exit code: 0 verified, 1 something does not match or it was withdrawn, 2 a mistake in what was given, 3
    the ledger or qidguard itself failed.
    """
    from qidguard.interfaces.verifying import verify

    found = verify(
        folder,
        policy,
        keys=keys,
        is_unsigned_allowed=unsigned,
        data_set=data_set,
        release_id=release_id,
        ledger=ledger,
    )
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
    parts = [files, by, f"policy {manifest.policy.name} {manifest.policy.sha256[:12]}…"]
    if manifest.exceptions:
        parts.append("let through by exception")
    return f"VERIFIED  {manifest.data_set} {manifest.release_id}: {', '.join(parts)}"


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"
