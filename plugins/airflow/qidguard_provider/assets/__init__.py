"""Assets that stand for what is published."""
