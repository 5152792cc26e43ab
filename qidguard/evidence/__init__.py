"""Signed public evidence: what a release says of itself, and how anyone can check it."""
