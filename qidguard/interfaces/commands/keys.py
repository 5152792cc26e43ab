"""``qidguard keys``: make the key pair that signs releases, and show a public key."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.home_ledger import PASSPHRASE
from qidguard.interfaces.screen import say
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from qidguard.evidence.keys import PublicKey

SIGNING = "signing"
"""The name of the key that signs releases where no other is named."""


@click.group("keys", short_help="Make and show the keys that sign releases.")
def keys_group() -> None:
    """Make and show the keys that sign releases and exceptions."""


@keys_group.command("new", short_help="Make a key pair; nothing is ever overwritten.")
@click.option("--name", default=SIGNING, show_default=True, help="The files' name without suffix.")
@click.option(
    "--role",
    type=click.Choice(["release", "approver"]),
    help="What it signs.  [default: release for the key called signing, else none]",
)
@click.option("--folder", metavar="DIR", help="Where they go.  [default: keys in the home folder]")
def new_command(*, name: str, role: str | None, folder: str | None) -> ExitCode:
    """Make an Ed25519 key pair: NAME.key, which signs, and NAME.pub, which checks.

    QIDGUARD_KEY_PASSPHRASE encrypts the private key. The home folder is QIDGUARD_HOME, else
    ~/.local/share/qidguard. A key signs releases or exceptions, never both; its role stands in roles.txt
    beside it. Without a role it is trusted by who names it: a policy's release.signers and
    exceptions.approvers do.
    """
    from qidguard.evidence.home import Home
    from qidguard.evidence.key_roles import KeyRole, declare_role
    from qidguard.evidence.keys import PRIVATE_SUFFIX, PUBLIC_SUFFIX, new_key_pair

    place = Home.at().keys_folder if folder is None else Path(folder)
    passphrase = os.environ.get(PASSPHRASE)
    key = new_key_pair(place, name, passphrase)
    if role is None and name == SIGNING:
        role = KeyRole.RELEASE
    if role is not None:
        declare_role(place, key, KeyRole(role), name)
    protection = "for you alone, not encrypted" if passphrase is None else "for you alone, encrypted"
    click.echo(visible(f"private  {place / (name + PRIVATE_SUFFIX)}  ({protection})"))
    click.echo(visible(f"public   {place / (name + PUBLIC_SUFFIX)}"))
    _show(key)
    say(
        "Keep the private key private: whoever has it signs in your name, and nobody can make it anew.\n"
        "The public key goes to everyone who verifies (qidguard verify --trust), and as text into policies."
    )
    return ExitCode.PASSED


@keys_group.command("trust", short_help="Say what a key may sign; verify trusts keys of role release.")
@click.argument("key", metavar="FILE|TEXT")
@click.option(
    "--role",
    type=click.Choice(["release", "approver"]),
    default="release",
    show_default=True,
    help="What it signs.",
)
@click.option("--folder", metavar="DIR", help="Of which list.  [default: keys in the home folder]")
def trust_command(*, key: str, role: str, folder: str | None) -> ExitCode:
    """Write the role of the public key in FILE, or of its TEXT form, into the list of the keys folder."""
    from qidguard.evidence.home import Home
    from qidguard.evidence.key_roles import ROLES, KeyRole, declare_role
    from qidguard.evidence.keys import load_public_key

    public = load_public_key(key)
    place = Home.at().keys_folder if folder is None else Path(folder)
    name = "" if key == public.text else Path(key).stem
    declare_role(place, public, KeyRole(role), name)
    click.echo(visible(f"{public.id[:12]}…  {role}  in {place / ROLES}"))
    return ExitCode.PASSED


@keys_group.command("show", short_help="Show the id and the text of a public key.")
@click.argument("file")
def show_command(*, file: str) -> ExitCode:
    """Show the id and the text form of the public key in FILE, a .pub or PEM file."""
    from qidguard.evidence.keys import load_public_key

    _show(load_public_key(file))
    return ExitCode.PASSED


def _show(key: "PublicKey") -> None:
    click.echo(f"id       {key.id}")
    click.echo(f"text     {key.text}")
