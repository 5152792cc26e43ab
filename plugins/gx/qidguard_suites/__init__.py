"""A policy as files of a Great Expectations project, without that library: plain values."""
