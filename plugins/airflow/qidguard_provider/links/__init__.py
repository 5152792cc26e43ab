"""Links from a task to what it left."""
