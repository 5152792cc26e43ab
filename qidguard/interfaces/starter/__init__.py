"""A working set for people who have an Airflow or a Great Expectations project of their own."""
