"""Dates that are written as texts: one reader for hierarchies, kinds and what is undone."""
