"""A series of releases simulated before it begins, and what each way of keeping it costs."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qidguard_series.plan import SeriesPlan as SeriesPlan
    from qidguard_series.planning import plan_series as plan_series

__all__ = ["SeriesPlan", "plan_series"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used: ``qidguard --help`` loads this package."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from qidguard_series import planning

        return getattr(planning, name)
