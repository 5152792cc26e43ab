"""The host: finds plugins, checks and isolates them, and lists what they offer."""

from qidguard.host.host import Host, PluginFailure, PluginInfo
from qidguard.host.loading import load_host, register, unregister

__all__ = ["Host", "PluginFailure", "PluginInfo", "load_host", "register", "unregister"]
