"""Values and arithmetic: roles, policy, statistics, metrics, measurements and verdicts."""
