"""Which public keys a verification trusts: those named, the policy's, or those with a role; no other file."""

import re
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError, UserError
from qidguard.evidence.home import Home
from qidguard.policy import load_policy

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import PublicKey
    from qidguard.evidence.verify import Verification

_ID = re.compile(r"[0-9a-f]{64}")


def trusted(given: Sequence[str], policy: "str | PathLike[str] | None") -> "tuple[PublicKey, ...]":
    """Return the keys given, else the policy's signers, else those of role release."""
    from qidguard.evidence.ed25519 import parse_public_key
    from qidguard.evidence.key_roles import trusted_keys
    from qidguard.evidence.keys import load_public_key

    signers: tuple[PublicKey, ...] = ()
    if policy is not None:
        with suppress(PolicyError):  # said as a fault of its own
            signers = tuple(parse_public_key(text) for text in load_policy(policy).release.signers)
    if given:
        return tuple(_of_id(key, signers) if _ID.fullmatch(key) else load_public_key(key) for key in given)
    return signers or trusted_keys(Home.at().keys_folder)


def _of_id(key_id: str, known: "Sequence[PublicKey]") -> "PublicKey":
    """Return the key of an id; UserError where neither the policy nor the keys folder has it."""
    from qidguard.evidence.key_roles import roles_in
    from qidguard.evidence.keys import key_file_of, load_public_key

    folder = Home.at().keys_folder
    for key in (*known, *roles_in(folder)):
        if key.id == key_id:
            return key
    path = key_file_of(folder, key_id)
    if path is None:
        raise UserError(
            f"there is no public key with the id {key_id[:12]}… in the policy or in {str(folder)!r}; give its"
            " file or its text"
        )
    return load_public_key(path)


def key_without_role(found: "Verification") -> tuple[str, ...]:
    """Return how to trust the key that is said to have signed, where it lies here without a role."""
    from qidguard.evidence.key_roles import roles_in
    from qidguard.evidence.keys import key_file_of

    key_id = None if found.manifest is None else found.manifest.key_id
    if key_id is None or found.signed_by is not None:
        return ()
    folder = Home.at().keys_folder
    path = key_file_of(folder, key_id)
    if path is None or any(key.id == key_id for key in roles_in(folder)):
        return ()
    sentence = (
        f"The key {key_id[:12]}… lies in {str(path)!r} and has no role, so it is trusted for nothing; if it"
        f" signs releases, say so with: qidguard keys trust {path}"
    )
    return (sentence,)
