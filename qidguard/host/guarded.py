"""Engines of plugins, guarded: whatever one raises names the plugin and carries no value of the table."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Self

from qidguard.core.errors import NotMeasurable, PluginError, QidguardError

if TYPE_CHECKING:
    from qidguard.engines.base import Engine, EngineSettings, Needs, ReadOptions, Table

_METHODS = ("statistics", "class_values", "class_sizes", "cells", "codes", "close")
_SAID = (QidguardError, NotMeasurable, MemoryError, KeyboardInterrupt)
"""What an engine says on purpose, and what is nobody's fault."""


class GuardedEngine:
    """An engine whose faults are errors of its plugin."""

    def __init__(self, engine: "Engine", owner: str) -> None:
        self._engine = engine
        self._fault = f"{owner}: engine {engine.name!r}"
        self.name = engine.name
        self.title = engine.title

    def can_open(self, source: Any) -> bool:
        """Whether the engine knows this kind of source."""
        return bool(self._guarded(self._engine.can_open, _SAID)(source))

    def column_names(
        self, source: Any, options: "ReadOptions", settings: "EngineSettings"
    ) -> tuple[str, ...]:
        """Return the column names; PluginError when they are no texts."""
        names = self._guarded(self._engine.column_names, _SAID)(source, options, settings)
        if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
            raise PluginError(f"{self._fault} gave no tuple of column names; mend the plugin")
        return names

    def open(
        self, source: Any, options: "ReadOptions", needs: "Needs", settings: "EngineSettings"
    ) -> "Table":
        """Return the table, guarded like the engine; PluginError when it is none."""
        table = self._guarded(self._engine.open, _SAID)(source, options, needs, settings)
        if not all(callable(getattr(table, method, None)) for method in _METHODS):
            raise PluginError(f"{self._fault} opened no table; mend the plugin")
        guarded: Table = GuardedTable(table, self._guarded)
        return guarded

    def _guarded(self, call: Callable[..., Any], said: tuple[type[BaseException], ...]) -> Callable[..., Any]:
        @wraps(call)
        def guarded(*arguments: Any, **named: Any) -> Any:
            try:
                return call(*arguments, **named)
            except said:
                raise
            except BaseException as error:
                kind = type(error).__name__
                raise PluginError(f"{self._fault} failed with {kind}; mend the plugin") from error

        return guarded


class GuardedTable:
    """A table whose faults are errors of its engine's plugin."""

    def __init__(self, table: "Table", guard: Callable[..., Callable[..., Any]]) -> None:
        self._table = table
        self._guard = guard

    def __getattr__(self, name: str) -> Any:
        # a ValueError is the caller's mistake, such as a grouping that the method does not take
        said = (*_SAID, ValueError)
        found = self._guard(getattr, said)(self._table, name)
        return self._guard(found, said) if name in _METHODS else found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._table.close()
