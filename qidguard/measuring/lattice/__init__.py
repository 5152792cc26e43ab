"""The subset lattice: every subset of columns from its parent's classes, in memory."""
