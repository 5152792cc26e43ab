"""What a plot of a search is."""

from typing import Any, Protocol

from qidguard.search.protocol import SearchResult


class SearchPlot(Protocol):
    """Draws a search; ``qidguard discover --plots`` saves what it draws."""

    @property
    def name(self) -> str:
        """A plain identifier; the files are called after it."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    def draw(self, result: SearchResult) -> Any:
        """Return a ``qidguard.Plot`` of the search; NotMeasurable where there is nothing to draw."""
