"""The standard privacy models and risk measures."""
