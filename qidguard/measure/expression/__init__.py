"""The small SQL that statistics are written in, over arrays in place of a database."""
