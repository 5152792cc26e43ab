"""The marks of the kit's tests, for pytest: it loads this where qidguard is installed."""

from typing import Protocol


class _Config(Protocol):
    def addinivalue_line(self, name: str, line: str) -> None:
        """Add a line to a setting."""


def pytest_configure(config: _Config) -> None:
    """Register the mark, so that a project that is strict about marks can use the kit."""
    config.addinivalue_line("markers", "slow: takes more than some seconds, such as 100,000 records")
