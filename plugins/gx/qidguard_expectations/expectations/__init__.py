"""The expectations, one a file."""
