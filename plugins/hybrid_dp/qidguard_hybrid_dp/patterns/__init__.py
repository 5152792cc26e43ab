"""Which records violate: preparing, pattern-friendly QIDs, categories of values, partition (Fig. 3, 5, 6)."""
