"""Verify a release: what stands in its folder, what its policy demands, what the ledger says of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from qidguard.core.errors import PolicyError, UserError
from qidguard.core.system import open_plain
from qidguard.evidence.verify import Verification
from qidguard.interfaces.recorded_release import said_by_ledger
from qidguard.interfaces.trusting import key_without_role, trusted
from qidguard.policy import Policy, load_policy

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
    from qidguard.evidence.verify import verify_release

    found = verify_release(
        fspath(folder),
        keys=trusted(keys, policy),
        policy_bytes=None if policy is None else _policy_bytes(fspath(policy)),
        is_unsigned_allowed=is_unsigned_allowed,
        data_set=data_set,
        release_id=release_id,
    )
    if policy is not None:
        found = replace(found, faults=found.faults + policy_faults(policy, found))
    if ledger is not None:
        said = said_by_ledger(ledger, found)
        found = replace(found, faults=found.faults + said.faults, notes=found.notes + said.notes)
    return replace(found, notes=(*found.notes, *key_without_role(found)))


def _policy_bytes(name: str) -> bytes:
    try:
        with open_plain(Path(name)) as file:
            content = file.read(_LARGEST_POLICY_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not a path"
        raise UserError(f"the policy {name!r} cannot be read ({why}); check its name and rights") from None
    if len(content) > _LARGEST_POLICY_BYTES:
        raise UserError(f"{name!r} is larger than a policy may be (1 MB); is it the table?")
    return content


def policy_faults(policy: "str | PathLike[str]", found: Verification) -> tuple[str, ...]:
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
        if exception["key_id"] not in approvers:
            by = exception["key_id"][:12]
            yield f"exception {exception['id']} is by key {by}…, no approver of the policy"
        if exception["key_id"] == key_id:
            yield f"exception {exception['id']} is by the key that signs it, and who releases cannot approve"
