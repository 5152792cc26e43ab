"""Clusters of at least k persons on categorical quasi-identifiers, and what they publish."""
