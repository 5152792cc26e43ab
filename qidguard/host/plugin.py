"""What is known of one plugin, loaded or failed."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PluginInfo:
    """A loaded plugin.

    Args:
        name: Its entry point's name.
        distribution: The installed distribution it comes from.
        version: That distribution's version.
        offers: Kind (``metrics``, ``engines`` and so on) → the names it offers, sorted.
    """

    name: str
    distribution: str
    version: str
    offers: Mapping[str, tuple[str, ...]]

    @property
    def origin(self) -> str:
        """The plugin with its distribution and version, for an error."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}"


@dataclass(frozen=True, kw_only=True)
class PluginFailure:
    """A plugin, or one name it offers, that cannot be used, and why in one sentence.

    ``contested`` holds the names, as kind and name, that two plugins offer at once.
    """

    name: str
    distribution: str
    version: str
    error: str
    contested: tuple[tuple[str, str], ...] = ()

    @property
    def sentence(self) -> str:
        """The failure as one sentence that names the plugin and its version."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}: {self.error}"
