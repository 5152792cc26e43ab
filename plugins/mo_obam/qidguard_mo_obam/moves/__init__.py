"""Moves of units between clusters: they see entropies and other limits of single clusters."""
