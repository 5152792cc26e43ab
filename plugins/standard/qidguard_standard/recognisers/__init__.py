"""Recognisers: what a column is likely to be, from its name and from public facts.

They never see a value. What content can say is therefore limited to the type of the values and to how many
of them differ; a column that none of them knows gets no proposal and is never taken for safe.
"""

from qidguard import Recogniser
from qidguard_standard.recognisers.dates import Dates
from qidguard_standard.recognisers.lexicon import Lexicon
from qidguard_standard.recognisers.unique_values import UniqueValues

RECOGNISERS: tuple[Recogniser, ...] = (Lexicon(), Dates(), UniqueValues())
"""Every recogniser of this plugin, the surest first."""

__all__ = ["RECOGNISERS", "Dates", "Lexicon", "UniqueValues"]
