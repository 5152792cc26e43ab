"""The gate inside Great Expectations. Nothing outside this folder imports that library."""
