"""The roles of keys: a list beside them says which sign releases and which approve exceptions.

A key that the list does not name has no role here and is trusted for nothing, wherever its file lies. A
policy names signers and approvers of its own.
"""

import os
from enum import StrEnum
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.core.files import write_whole
from qidguard.core.system import why
from qidguard.evidence.ed25519 import PublicKey, parse_public_key
from qidguard.evidence.private_file import make_folder, read_file

ROLES = "roles.txt"
"""The list in a keys folder: a line for each key, its role, its text form and a name."""


class KeyRole(StrEnum):
    """What a key may sign; never both, since who releases cannot approve."""

    RELEASE = "release"
    APPROVER = "approver"


def roles_in(folder: Path) -> dict[PublicKey, KeyRole]:
    """Return the roles that the list in a keys folder gives; nobody else may be able to change it.

    Example:
        >>> roles_in(Path("no-such-folder"))
        {}
    """
    path = folder / ROLES
    try:
        open_to_others = [one for one in (folder, path) if one.stat().st_mode & 0o022]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UserError(
            f"the keys folder {str(folder)!r} cannot be looked into ({why(error)}); check its rights"
        ) from None
    if open_to_others and os.name == "posix":
        raise UserError(
            f"others can write {str(open_to_others[0])!r}, so its keys are not trusted; "
            f"run: chmod go-w {open_to_others[0]}"
        )
    found: dict[PublicKey, KeyRole] = {}
    lines = read_file(path, "list of keys", is_secret=False).decode("utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        words = line.split(maxsplit=2)
        if not words or words[0].startswith("#"):
            continue
        try:
            key, role = parse_public_key(words[1]), KeyRole(words[0])
        except (IndexError, ValueError, UserError):
            raise UserError(
                f"line {number} of {str(path)!r} is not a role, a public key and a name; correct it, such as:"
                " release ed25519:... signing"
            ) from None
        if found.setdefault(key, role) is not role:
            raise UserError(f"{str(path)!r} gives key {key.id[:12]}… two roles; keep one of them")
    return found


def trusted_keys(folder: Path) -> tuple[PublicKey, ...]:
    """Return the keys that the list in a keys folder lets sign releases."""
    return tuple(key for key, role in roles_in(folder).items() if role is KeyRole.RELEASE)


def declare_role(folder: Path, key: PublicKey, role: KeyRole, name: str) -> None:
    """Write a key's role into the list of a keys folder; a key keeps the role that it has."""
    roles = roles_in(folder)
    if (known := roles.get(key)) is not None:
        if known is not role:
            raise UserError(
                f"key {key.id[:12]}… has the role {known} in {str(folder / ROLES)!r}, and a key has one role;"
                " use another key"
            )
        return
    path = folder / ROLES
    before = read_file(path, "list of keys", is_secret=False) if path.exists() else b""
    gap = b"" if not before or before.endswith(b"\n") else b"\n"
    line = " ".join(f"{role} {key.text} {name}".split()) + "\n"
    make_folder(folder)
    try:
        write_whole(path, before + gap + line.encode("utf-8"), mode=0o644, is_lasting=True)
    except OSError as error:
        raise UserError(
            f"the list of keys {str(path)!r} cannot be written ({why(error)}); check its rights"
        ) from None
