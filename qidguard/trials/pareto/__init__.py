"""The solutions of one anonymizer held against each other in memory; nothing is audited or written."""
