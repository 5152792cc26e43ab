"""Verify a release: what stands in its folder, what its policy demands, what the ledger says of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError, UserError
from qidguard.core.system import open_plain, why
from qidguard.evidence.home import Home
from qidguard.evidence.verify import Verification
from qidguard.policy import Policy, load_policy

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import PublicKey
    from qidguard.ledger import Entry


_LARGEST_POLICY_BYTES = 1_000_000


def verify(
    folder: "str | PathLike[str]",
    policy: "str | PathLike[str] | None" = None,
    *,
    keys: Sequence[str] = (),
    data_set: str | None = None,
    release_id: str | None = None,
    is_unsigned_allowed: bool = False,
    ledger: str | None = None,
) -> Verification:
    """Check that a release is byte for byte what was published, and whose word that is.

    Every file is read and compared; nothing is believed because of where it stands. Nothing but the folder
    and a public key is needed.

    Args:
        folder: The folder of one release: a path, or a URL that fsspec opens.
        policy: The file of the policy that it should have been judged by; None compares none.
        keys: The public keys that are trusted, each a file, its text, or its id where the policy or the keys
            folder holds the key; one of them must have signed. None given takes the policy's
            ``release.signers``, else those that the list in the keys folder gives the role release. A key is
            not trusted because its file lies in a folder.
        data_set: The data set that it should be a release of; None takes any.
        release_id: The release that it should be; None takes any that was signed.
        is_unsigned_allowed: Whether a release that nobody signed is only noted. Whoever can change a file of
            such a release can change its digests too.
        ledger: The URL of a ledger in which to look for it, and whose chain is checked; None looks in none.

    Returns:
        What was found; ``is_verified`` says whether all of it matches.

    Raises:
        UserError: When there is no such folder, key, policy or ledger.
        LedgerError: When the ledger cannot be read.

    Example:
        >>> import pandas as pd, qidguard, tempfile
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ...     "release": {"data_set": "people"},
        ... }
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = pd.DataFrame({"sex": ["f", "f"]})
        ...     made = qidguard.release(table, policy, to=f"{folder}/out", home=f"{folder}/home")
        ...     before = qidguard.verify(made.address, is_unsigned_allowed=True)
        ...     _ = Path(made.address, "data.parquet").write_bytes(b"changed")
        ...     after = qidguard.verify(made.address, is_unsigned_allowed=True)
        >>> before.is_verified, after.is_verified
        (True, False)
    """
    found = verified(
        fspath(folder),
        policy,
        trusted(keys, policy),
        data_set=data_set,
        release_id=release_id,
        is_unsigned_allowed=is_unsigned_allowed,
    )
    if ledger is not None:
        found = _held_against_ledger(found, ledger)
    return replace(found, notes=(*found.notes, *key_without_role(found)))


def verified(
    folder: str,
    policy: "str | PathLike[str] | None",
    keys: "tuple[PublicKey, ...]",
    *,
    data_set: str | None,
    release_id: str | None,
    is_unsigned_allowed: bool,
) -> Verification:
    """Return what stands in a release's folder, and what its policy demands, held against trusted keys."""
    from qidguard.evidence.verify import verify_release

    found = verify_release(
        folder,
        keys=keys,
        policy_bytes=None if policy is None else _policy_bytes(fspath(policy)),
        is_unsigned_allowed=is_unsigned_allowed,
        data_set=data_set,
        release_id=release_id,
    )
    return found if policy is None else replace(found, faults=found.faults + _policy_faults(policy, found))


def _policy_bytes(name: str) -> bytes:
    try:
        with open_plain(Path(name)) as file:
            content = file.read(_LARGEST_POLICY_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UserError(
            f"the policy {name!r} cannot be read ({why(error)}); check its name and rights"
        ) from None
    if len(content) > _LARGEST_POLICY_BYTES:
        raise UserError(f"{name!r} is larger than a policy may be (1 MB); is it the table?")
    return content


def _policy_faults(policy: "str | PathLike[str]", found: Verification) -> tuple[str, ...]:
    """Return what the policy demands of signatures and the release does not have, one sentence a fault."""
    try:
        rules = load_policy(policy)
    except PolicyError:
        return ("the file that is given as the policy is no valid policy",)
    return tuple(_faults(rules, found))


def _faults(rules: Policy, found: Verification) -> Iterator[str]:
    from qidguard.evidence.ed25519 import parse_public_key

    asked, signer = rules.release, found.signed_by
    if asked.signature == "required" and signer is None:
        yield "the policy demands a signature, and none was verified"
    named = None if found.manifest is None else found.manifest.key_id
    key_id = named if signer is None else signer.id
    signers = {parse_public_key(text).id for text in asked.signers}
    if signers and key_id is not None and key_id not in signers:
        yield f"it is signed by key {key_id[:12]}…, which is not among release.signers of the policy"
    approvers = {parse_public_key(approver.key).id for approver in rules.exceptions.approvers}
    for exception in found.manifest.exceptions if found.manifest is not None else ():
        if exception.key_id not in approvers:
            by = exception.key_id[:12]
            yield f"exception {exception.id} is by key {by}…, no approver of the policy"
        if exception.key_id == key_id:
            yield f"exception {exception.id} is by the key that signs it, and who releases cannot approve"


_KINDS = ("audited", "releasing", "abandoned", "withdrawn", "revoked")


def _held_against_ledger(found: Verification, url: str) -> Verification:
    """Return it with what in the ledger does not match it; where its chain is broken, that alone."""
    if found.manifest is None or found.statement is None:
        return found  # there is a fault already, and nothing to look for
    from qidguard.ledger import open_ledger

    # no anchors of this machine: the signed release is one, and to verify leaves nothing behind
    with open_ledger(url, must_exist=True) as ledger:
        if faults := tuple(ledger.check()):
            return replace(found, faults=found.faults + faults)
        entries = list(ledger.entries(data_set=found.manifest.data_set, kinds=_KINDS))
    return replace(
        found,
        faults=(*found.faults, *_entry_faults(entries, found)),
        notes=(*found.notes, *_revoked(entries, found)),
    )


def _entry_faults(entries: "list[Entry]", verification: "Verification") -> Iterator[str]:
    manifest, statement = verification.manifest, verification.statement
    assert manifest is not None  # noqa: S101 - asked for only where there are both
    assert statement is not None  # noqa: S101 - the same
    anchor = statement["predicate"]["ledger"]
    if anchor is None:
        yield "attestation.json names no entry of a ledger."
    elif not any(
        # the first form of statements also named the entry's place
        e.hash == anchor["hash"] and e.sequence == anchor.get("sequence", e.sequence)
        for e in entries
    ):
        yield (
            f"The ledger has no entry of {manifest.data_set} with the hash that attestation.json names "
            f"({anchor['hash'][:12]})."
        )
    yield from _promise_faults(entries, verification, manifest.release_id)
    yield from _withdrawals(entries, manifest.release_id)


def _withdrawals(entries: "list[Entry]", release_id: str) -> Iterator[str]:
    from qidguard.ledger import read
    from qidguard.ledger.payloads import Withdrawn

    for entry in (entry for entry in entries if entry.kind == "withdrawn"):
        withdrawn = read(entry, Withdrawn).payload
        if withdrawn.release_id == release_id:
            yield (
                f"The ledger says that release {release_id} was withdrawn on {entry.at:%Y-%m-%d}: "
                f"{withdrawn.reason}"
            )


def _revoked(entries: "list[Entry]", verification: "Verification") -> Iterator[str]:
    """Yield which exceptions that let it through were taken back since."""
    from qidguard.ledger import read
    from qidguard.ledger.payloads import Revoked

    manifest = verification.manifest
    named = {exception.id for exception in manifest.exceptions} if manifest is not None else set()
    for entry in (entry for entry in entries if entry.kind == "revoked"):
        revoked = read(entry, Revoked).payload
        if revoked.exception_id in named:
            yield f"Exception {revoked.exception_id} was revoked on {entry.at:%Y-%m-%d}: {revoked.reason}"


def _promise_faults(entries: "list[Entry]", verification: "Verification", release_id: str) -> Iterator[str]:
    """Yield where no release of this name was promised, or all were abandoned, or other files were meant."""
    from qidguard.ledger import read
    from qidguard.ledger.payloads import Abandoned, Releasing

    abandoned = {read(entry, Abandoned).payload.audit_id for entry in entries if entry.kind == "abandoned"}
    promises = (read(entry, Releasing).payload for entry in entries if entry.kind == "releasing")
    promised = [promise for promise in promises if promise.release_id == release_id]
    kept = [promise for promise in promised if promise.audit_id not in abandoned]
    if not kept:
        yield (
            f"The ledger says that release {release_id} was never published."
            if promised
            else f"The ledger knows no release {release_id}."
        )
        return
    last = kept[-1]
    found = {
        "manifest.json": (last.manifest_sha256, verification.manifest_sha256),
        "attestation.json": (last.attestation_sha256, verification.attestation_sha256),
    }
    # a release is promised once more only after it was abandoned, so the last promise is the one that holds
    for name, (said, sha256) in found.items():
        if said != sha256:
            yield (
                f"SHA-256 of {name} is not what the ledger says "
                f"(expected {said[:12]}, found {str(sha256)[:12]})."
            )


_ID = re.compile(r"[0-9a-f]{64}")


def trusted(
    given: Sequence[str],
    policy: "str | PathLike[str] | None",
    otherwise: "Callable[[], tuple[PublicKey, ...]] | None" = None,
) -> "tuple[PublicKey, ...]":
    """Return the keys given, else the policy's signers, else those of role release in the home folder."""
    from qidguard.evidence.ed25519 import parse_public_key
    from qidguard.evidence.key_roles import trusted_keys
    from qidguard.evidence.keys import load_public_key

    signers: tuple[PublicKey, ...] = ()
    if policy is not None:
        with suppress(PolicyError):  # said as a fault of its own
            signers = tuple(parse_public_key(text) for text in load_policy(policy).release.signers)
    if given:
        return tuple(_of_id(key, signers) if _ID.fullmatch(key) else load_public_key(key) for key in given)
    if signers:
        return signers
    return trusted_keys(Home.at().keys_folder) if otherwise is None else otherwise()


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
