"""Several tables of the same persons: read, linked, made into one of persons, and published together."""
