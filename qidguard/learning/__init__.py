"""Models that learn from a published table, scored against the same models on its original."""
