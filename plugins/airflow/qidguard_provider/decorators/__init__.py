"""Tasks that are made of a function."""
