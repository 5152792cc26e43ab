"""The databases in which a ledger can live; the same names in each."""
