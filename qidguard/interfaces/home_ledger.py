"""Ledger and key of a command: those that it names, else those of the home folder."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.evidence.keys import SigningKey
    from qidguard.ledger import Ledger

PASSPHRASE = "QIDGUARD_KEY_PASSPHRASE"  # noqa: S105 - the name of a variable, no password


def home_ledger(url: str | None, *, home: str | None = None, is_to_look: bool = False) -> "Ledger":
    """Open a ledger that is there, that of the home folder where none is named; else UserError."""
    from qidguard.evidence.home import Home
    from qidguard.ledger import open_ledger

    place = Home.at(home)
    address = url or place.default_ledger()
    return open_ledger(address, anchors=place.anchors_file(), must_exist=True, is_to_look=is_to_look)


def home_key(file: str | None) -> "SigningKey | None":
    """Load the key that signs, that of the home folder where none is named; None where there is none."""
    from qidguard.evidence.home import Home
    from qidguard.evidence.keys import load_private_key

    path = file or Home.at().default_signing_key()
    return None if path is None else load_private_key(Path(path), os.environ.get(PASSPHRASE))
