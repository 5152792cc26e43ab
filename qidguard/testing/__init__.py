"""The conformance kit that plugins are tested with, ours and others'."""
