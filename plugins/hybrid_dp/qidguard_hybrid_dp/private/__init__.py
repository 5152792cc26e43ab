"""A fully private choice: noisy marginals through OpenDP, and synthetic records from them."""
