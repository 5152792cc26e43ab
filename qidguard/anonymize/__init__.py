"""Anonymise: the protocol that anonymisers fill."""
