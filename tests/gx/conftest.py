"""What the tests of the Great Expectations door share."""

from importlib.util import find_spec

# without the extra these files cannot be imported; CI runs them in a step of its own, with it
collect_ignore_glob = [] if find_spec("great_expectations") else ["test_*.py"]
