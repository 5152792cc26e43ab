"""What the values of columns are: codes, counts, amounts, periods and the like."""

from qidguard_standard.recognizers.kinds.kinds import Kinds

__all__ = ["Kinds"]
