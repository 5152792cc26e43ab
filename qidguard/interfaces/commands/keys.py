"""``qidguard keys``: make the key pair that signs releases, and show a public key."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.screen import say
from qidguard.report.printable import visible

if TYPE_CHECKING:
    from qidguard.evidence.keys import PublicKey

PASSPHRASE = "QIDGUARD_KEY_PASSPHRASE"  # noqa: S105 - the name of a variable, no password


@click.group("keys", short_help="Make and show the keys that sign releases.")
def keys_group() -> None:
    """Make and show the keys that sign releases and exceptions."""


@keys_group.command("new", short_help="Make a key pair; nothing is ever overwritten.")
@click.option("--name", default="signing", show_default=True, help="The files' name without suffix.")
@click.option("--folder", metavar="DIR", help="Where they go.  [default: keys in the home folder]")
def new_command(*, name: str, folder: str | None) -> ExitCode:
    """Make an Ed25519 key pair: NAME.key, which signs, and NAME.pub, which checks.

    QIDGUARD_KEY_PASSPHRASE encrypts the private key. The home folder is QIDGUARD_HOME, else
    ~/.local/share/qidguard.
    """
    from qidguard.evidence.home import Home
    from qidguard.evidence.keys import PRIVATE_SUFFIX, PUBLIC_SUFFIX, new_key_pair

    place = Home.at().keys_folder if folder is None else Path(folder)
    passphrase = os.environ.get(PASSPHRASE)
    key = new_key_pair(place, name, passphrase)
    protection = "for you alone, not encrypted" if passphrase is None else "for you alone, encrypted"
    click.echo(visible(f"private  {place / (name + PRIVATE_SUFFIX)}  ({protection})"))
    click.echo(visible(f"public   {place / (name + PUBLIC_SUFFIX)}"))
    _show(key)
    say(
        "Keep the private key private: whoever has it signs in your name, and nobody can make it anew.\n"
        "The public key goes to everyone who verifies (qidguard verify --key), and as text into policies."
    )
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
