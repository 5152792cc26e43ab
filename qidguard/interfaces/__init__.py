"""Doors into the one judgement: thin, late imports, no arithmetic."""
