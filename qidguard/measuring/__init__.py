"""Measure: (table, roles, metrics, column subsets) → measurements."""
