"""Work outside of a worker slot, in a process of its own, while a trigger waits for its answer."""
