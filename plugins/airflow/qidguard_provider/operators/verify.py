"""Check that a release is what was published, and whose word that is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard import UserError
from qidguard.sdk import shown_address
from qidguard_provider.hooks.qidguard import QidguardHook
from qidguard_provider.operators.gate import UNSAID, GateOperator, handing_on
from qidguard_provider.place import address as checked_address
from qidguard_provider.place import is_below, mask_address, resolved, true_or_false

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard import Policy
    from qidguard_provider.verdicts import Judged


_KEY_TEXT = "ed25519:"
"""How a public key begins that is no file."""


class QidguardVerifyOperator(GateOperator):
    """Checks a release in a folder or at a URL byte for byte, with its signature.

    Args:
        address: The release: a folder or a URL (templated), or all that a release leaves, ``publish.output``:
            then it must be the ``release_id`` and of the ``data_set`` said there, unless others are given.
        policy: The policy that it should have been judged by (templated); None compares none.
        public_key: A public key that is trusted (templated), as text or file; None takes the policy's
            ``release.signers``, else the connection's own key and those of role release in the keys folder.
        data_set: The data set that it should be of (templated); None takes any.
        release_id: The release that it should be (templated); None takes any that was signed.
        is_unsigned_allowed: Whether a release that nobody signed is accepted.
        is_elsewhere_allowed: Whether it may lie elsewhere than below the policy's ``release.destination``;
            say no where others could name the address, and unsigned releases are accepted.
        qidguard_conn_id: The connection with the keys (templated).
        fail_on_block: Whether the task fails where something does not match.
        kwargs: What every operator takes.

    Example:
        >>> QidguardVerifyOperator(task_id="verify", address="/srv/published/ward/2026-11").address
        '/srv/published/ward/2026-11'
    """

    template_fields: Sequence[str] = (
        "address",
        "policy",
        "public_key",
        "release_id",
        *GateOperator.template_fields,
    )

    @handing_on(GateOperator)
    def __init__(
        self,
        *,
        address: Any,
        policy: Any = UNSAID,
        public_key: Any = UNSAID,
        release_id: Any = UNSAID,
        is_unsigned_allowed: bool = False,
        is_elsewhere_allowed: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.address = self.said("address", address)
        self.policy = self.said("policy", policy)
        self.public_key = self.said("public_key", public_key)
        self.release_id = self.said("release_id", release_id)
        for given in (self.address, self.policy):
            mask_address(given)
        self.is_unsigned_allowed = true_or_false(is_unsigned_allowed, "is_unsigned_allowed")
        self.is_elsewhere_allowed = true_or_false(is_elsewhere_allowed, "is_elsewhere_allowed")

    def judge(self, context: "Context") -> "Judged":
        """Return whether everything matches."""
        from qidguard import load_policy
        from qidguard_provider.verdicts import of_verification

        self._take_apart()
        folder = context["dag"].folder
        place = resolved(folder, self.address, "address")
        path = None if self.policy is None else resolved(folder, self.policy, "policy")
        rules = None if path is None else load_policy(path)
        verification = (
            QidguardHook(self.qidguard_conn_id)
            .access()
            .verify(
                place,
                path,
                key=self._key(folder),
                data_set=self.data_set,
                release_id=self.release_id,
                is_unsigned_allowed=self.is_unsigned_allowed,
            )
        )
        if not self.is_elsewhere_allowed:
            faults = verification.faults + _faults_of_the_place(place, rules)
            verification = replace(verification, faults=faults)
        return of_verification(verification, path)

    def _take_apart(self) -> None:
        """Take address and names out of what a release left, where that is given as a whole."""
        if not isinstance(self.address, Mapping):
            return
        left = self.address
        if not left.get("address"):
            raise UserError("The task before published nothing, so there is no release to check; look there.")
        self.address = left["address"]
        self.release_id = self.release_id or left.get("release_id")
        self.data_set = self.data_set or left.get("data_set")

    def _key(self, folder: str) -> str | None:
        if self.public_key is None:
            return None
        given = str(checked_address(self.public_key, "public_key"))
        return given if given.startswith(_KEY_TEXT) else resolved(folder, given, "")


def _faults_of_the_place(place: str, rules: "Policy | None") -> tuple[str, ...]:
    """Return what is wrong with where a release lies."""
    if rules is None or rules.release.destination is None:
        raise UserError(
            "A release from elsewhere is not allowed, and there is no policy with a release: destination:"
            " that says where they are; write one into the policy and name it."
        )
    folder = rules.resolve(rules.release.destination)
    return (
        ()
        if is_below(place, folder)
        else (f"it does not lie below {shown_address(folder)!r}, where the policy publishes",)
    )
