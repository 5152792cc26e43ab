"""Names that are imported when they are first used, so that importing a public module costs nothing."""

from collections.abc import Callable
from importlib import import_module
from sys import modules


def lazy_names(module: str, homes: dict[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module; ``homes`` maps modules to the names they hold."""
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        setattr(modules[module], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(modules[module]), *home_of})

    return get, names
