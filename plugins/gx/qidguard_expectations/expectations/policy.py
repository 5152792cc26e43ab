"""Expect a whole policy to hold."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from qidguard_expectations.expectations.checks import check_whole
from qidguard_expectations.expectations.privacy import PrivacyExpectation
from qidguard_expectations.questions import ExpectationQuestion


class ExpectTableToMeetPrivacyPolicy(PrivacyExpectation):
    """Expect the batch to pass a privacy policy, as ``qidguard audit`` judges it.

    Args:
        policy: The whole policy as a mapping.
        policy_sha256: The SHA-256 of the policy, hex; without it nothing passes, since nobody could tell
            whether the policy was changed.
        policy_text: The lines of the policy's file; the result then goes by the SHA-256 of that file, and
            nothing passes where they do not say what the policy says.

    Units:
        Every figure in the result carries its own.

    A batch without a record fails. NULL in a quasi-identifier is a group of its own.

    Example:
        >>> from qidguard import load_policy
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "visits",
        ...     "roles": {"quasi_identifiers": ["age", "sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
        ... }
        >>> digest = load_policy(policy).digest
        >>> ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=digest).policy["name"]
        'visits'
    """

    policy: dict[str, Any] = pydantic.Field(description="The whole policy.")
    policy_sha256: pydantic.StrictStr = pydantic.Field(description="The SHA-256 of the policy, hex.")
    policy_text: list[pydantic.StrictStr] | None = pydantic.Field(
        None, description="The lines of the policy's file, by whose SHA-256 the result goes."
    )

    success_keys: ClassVar[tuple[str, ...]] = ("policy", "policy_sha256", "policy_text")
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(PrivacyExpectation.Config):
        """The title of the gallery."""

        title = "Expect table to meet privacy policy"

    @classmethod
    def _check(cls, stated: Mapping[str, Any]) -> None:
        check_whole(stated["policy"])

    def _asked(self) -> ExpectationQuestion:
        text = None if self.policy_text is None else "\n".join(self.policy_text)
        return ExpectationQuestion(kind="policy", policy=self.policy, digest=self.policy_sha256, written=text)
