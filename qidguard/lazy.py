"""Names that are imported when they are first used, so that importing a public module costs nothing."""

from collections.abc import Callable
from importlib import import_module
from sys import modules
from types import ModuleType


class _Public(ModuleType):
    """A public module: a name that it offers stays what it is, although a room may be called the same."""

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute, but for the room that Python's import would put in a public name's place."""
        is_room = isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}"
        if not (is_room and name in vars(self).get("__all__", ())):
            super().__setattr__(name, value)


def lazy_names(module: str, homes: dict[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module; ``homes`` maps modules to the names they hold."""
    modules[module].__class__ = _Public
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
