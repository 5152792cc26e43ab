"""Anonymize: the protocol that anonymizers fill."""
