"""The plots that ``qidguard discover --plots`` saves."""

from qidguard import Plot, SearchPlot, SearchResult
from qidguard_qidlearning.plots.search_evolution import search_evolution


class Evolution:
    """The fitness over the steps of a search."""

    name = "evolution"
    title = "best and mean fitness over the steps of a search"

    def draw(self, result: SearchResult) -> Plot:
        """Return the plot.

        Args:
            result: What a search found.

        Returns:
            The plot of ``search_evolution``.

        Units:
            Fitness has none.

        Raises:
            NotMeasurable: When the search noted no step.

        Example:
            >>> Evolution().name
            'evolution'
        """
        return search_evolution(result)


SEARCH_PLOTS: tuple[SearchPlot, ...] = (Evolution(),)
"""All of them, by name."""
