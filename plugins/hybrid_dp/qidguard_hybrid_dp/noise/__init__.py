"""Noise on numbers: what is drawn, what it guarantees, and a test of that."""
