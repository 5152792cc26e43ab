"""The code of a plugin, run so that whatever it raises has an owner and tells no value."""

from collections.abc import Callable
from typing import Any

from qidguard.core.errors import NotMeasurable, PluginError, QidguardError


def guarded(owner: str, name: str, call: Callable[[], Any], *, kind: str = "anonymiser") -> Any:
    """Return what a method of a plugin returns; PluginError, without a value, when it fails.

    That there is no answer (NotMeasurable), a lack of memory and Ctrl-C pass as they are.
    """
    try:
        return call()
    except (NotMeasurable, QidguardError, MemoryError):
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - a plugin may raise anything
        raise PluginError(
            f"{owner}: {kind} {name!r} failed with {type(error).__name__}; mend the plugin"
        ) from None
