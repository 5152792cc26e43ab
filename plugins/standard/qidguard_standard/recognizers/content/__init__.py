"""Recognition by content: what share of a column's values passes tests that the host makes."""

from qidguard_standard.recognizers.content.content import Content

__all__ = ["Content"]
