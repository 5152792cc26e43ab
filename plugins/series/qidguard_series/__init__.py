"""A series of releases simulated before it begins, and what each way of keeping it costs."""
