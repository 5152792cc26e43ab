"""Doors into the one judgment: thin, late imports, no arithmetic."""
