"""Compare methods on one table: the risk that is left beside what was lost."""
