"""Fails where the environment holds a package that is too heavy for the light install."""

from importlib.util import find_spec

heavy = [name for name in ("airflow", "great_expectations", "pyspark") if find_spec(name)]
if heavy:
    raise SystemExit(f"The light install holds {', '.join(heavy)}.")
