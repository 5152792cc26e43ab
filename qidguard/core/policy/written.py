"""A policy as something written: its digest, and the lines of its fields for errors that come later."""

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, Self

from pydantic import PrivateAttr

from qidguard.core.errors import PolicyError
from qidguard.core.policy.origin import Complaint, Origin, value_digest
from qidguard.core.policy.section import Section


class Written(Section):
    """A section that knows where its text stands; one that never was text has no lines.

    Example:
        >>> Written().line_of("name") is None
        True
    """

    _origin: Origin = PrivateAttr(default_factory=Origin)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; a changed one is no longer what was written, so it has a digest of its own.

        Args:
            update: Field → new value, taken as it is.
            deep: Whether values are copied too.

        Returns:
            The copy.

        Units:
            None.

        Raises:
            Nothing of its own.

        Example:
            >>> from qidguard.core.policy import parse_policy
            >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
            >>> policy = parse_policy(text)
            >>> policy.model_copy(update={"name": "q"}).digest == policy.digest
            False
        """
        copied = super().model_copy(update=update, deep=deep)
        if update:
            copied._origin = Origin()  # noqa: SLF001 - it is our own, of the copy
        return copied

    @property
    def digest(self) -> str:
        """SHA-256 of the policy's text, hex; of its JSON form where it never was text."""
        return self._origin.digest or value_digest(self.model_dump(mode="json"))

    def beside(self, path: str) -> str:
        """Return a path that is written in the policy, as seen from here: relative to the policy's file.

        Args:
            path: A path or a URL; an absolute path and a URL stay as they are.

        Returns:
            The path; relative to the working directory where the policy has no file.

        Units:
            None.

        Raises:
            RuntimeError: When a path begins with ``~`` and the account has no home directory.

        Example:
            >>> from qidguard.core.policy import parse_policy
            >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
            >>> parse_policy(text, "policies/visits.yaml").beside("visits.csv")
            'policies/visits.csv'
        """
        return (
            path if "://" in path else str(FilePath(self._origin.name).parent / FilePath(path).expanduser())
        )

    def line_of(self, *path: str | int) -> int | None:
        """Return the line of a field, such as ``"thresholds", 0``.

        Args:
            path: Keys and positions that lead to the field, positions counted from 0.

        Returns:
            The line of the field or of the nearest field around it; None where the policy has no text.

        Units:
            Lines, counted from 1.

        Raises:
            TypeError: When a part of the path cannot be a key.

        Example:
            >>> from qidguard.core.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> load_policy(fields).line_of("name") is None
            True
        """
        return self._origin.line_of(path)

    def error(self, sentence: str, *path: str | int) -> PolicyError:
        """Return a PolicyError that says ``sentence`` at the line of a field.

        Args:
            sentence: The rule, the offending value and the remedy.
            path: Keys and positions that lead to the field.

        Returns:
            The error, to be raised by the caller.

        Units:
            Lines, counted from 1.

        Raises:
            TypeError: When ``sentence`` is no text.

        Example:
            >>> from qidguard.core.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> str(load_policy(fields).error("it is too old", "name"))
            'policy: it is too old'
        """
        return self._origin.error([Complaint(path=path, sentence=sentence)])
