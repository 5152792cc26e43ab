"""The recogniser that searches, asked where a policy has a ``discovery`` section."""

from qidguard import Recogniser
from qidguard_qidlearning.recognisers.search import Search

RECOGNISERS: tuple[Recogniser, ...] = (Search(),)
"""All of them, by name."""

__all__ = ["RECOGNISERS", "Search"]
