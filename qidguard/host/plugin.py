"""What is known of one plugin, loaded or failed."""

from collections.abc import Mapping
from dataclasses import dataclass

ANYTHING = None
"""What a plugin may offer that could not even be read."""


@dataclass(frozen=True, kw_only=True)
class PluginInfo:
    """A loaded plugin.

    Args:
        name: Its entry point's name.
        distribution: The installed distribution it comes from.
        version: That distribution's version.
        offers: Kind (``metrics``, ``engines`` and so on) → the names it offers, sorted.
        notes: Sentences on what of it is not used, such as a hook that this host does not know.
        may_offer: Kinds that it may have meant to offer by such a hook.
    """

    name: str
    distribution: str
    version: str
    offers: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    may_offer: frozenset[str] = frozenset()

    @property
    def origin(self) -> str:
        """The plugin with its distribution and version, for an error."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}"


@dataclass(frozen=True, kw_only=True)
class PluginFailure:
    """A plugin, or one name it offers, that cannot be used, and why in one sentence.

    ``contested`` holds the names, as kind and name, that two plugins offer at once; ``may_offer`` the kinds
    that are missing because of the failure, ``ANYTHING`` where nobody knows.
    """

    name: str
    distribution: str
    version: str
    error: str
    contested: tuple[tuple[str, str], ...] = ()
    may_offer: frozenset[str] | None = ANYTHING

    @property
    def sentence(self) -> str:
        """The failure as one sentence that names the plugin and its version."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}: {self.error}"
