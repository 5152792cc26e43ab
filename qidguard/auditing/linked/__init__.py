"""Several tables of the same persons: what a reader learns who joins them is judged, too."""
