"""Engines: run group-by SQL where the data lives and give back core values."""
