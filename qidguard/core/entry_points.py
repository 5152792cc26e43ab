"""The entry points of plugins, and what their modules may hold, told without importing one."""

from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

GROUP = "qidguard"
"""The group of entry points that plugins stand under."""


def entries_with(hook: str) -> tuple[EntryPoint, ...]:
    """Return the plugins whose module may have a hook: those that name it in their text, or have no text.

    Example:
        >>> entries_with("qidguard_no_such_hook")
        ()
    """
    return tuple(entry for entry in entry_points(group=GROUP) if _may_have(entry, hook))


def _may_have(entry: EntryPoint, hook: str) -> bool:
    try:
        text = _text(entry.module)
    except Exception:  # noqa: BLE001 - a module that cannot be found is a fault, which loading it tells
        return True
    return text is None or bool(entry.attr) or hook in text


def _text(module: str) -> str | None:
    """Return the text of a module; the packages that it lies in are not imported either."""
    top, *below = module.split(".")
    spec, name = find_spec(top), top
    for part in below:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    loader: Any = getattr(spec, "loader", None)
    text: str | None = loader.get_source(name)
    return text
