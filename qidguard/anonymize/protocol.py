"""What an anonymiser is."""

from typing import Any, Protocol

from qidguard.core.parameter import Arguments, Parameter


class Anonymiser(Protocol):
    """Transforms a table. Its own claims count for nothing: the host audits the result from scratch."""

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a policy may set."""

    def anonymize(self, table: Any, arguments: Arguments, *, seed: int) -> Any:
        """Return a new table; the caller's own is never changed."""
