"""Private snapshots: a copy of a source's records, from which audits and published files are made."""
