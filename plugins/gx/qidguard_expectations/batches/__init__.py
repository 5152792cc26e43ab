"""Batches of Great Expectations as sources that an engine opens."""
