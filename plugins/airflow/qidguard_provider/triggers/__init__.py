"""What waits for work that goes on outside of a worker slot."""
