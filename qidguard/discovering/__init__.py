"""Discovering: search a table for its quasi-identifiers, and say why these."""
