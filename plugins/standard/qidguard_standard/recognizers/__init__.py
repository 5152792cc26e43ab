"""Recognizers: what a column is likely to be, from its name and from public facts.

They never see a value. What content can say is therefore limited to the type of the values, to how many
of them differ, and to what share of them passes a test that the host makes; a column that none of them knows
gets no proposal and is never taken for safe.
"""

from qidguard.sdk import Recognizer
from qidguard_standard.recognizers.content import Content
from qidguard_standard.recognizers.facts import Facts
from qidguard_standard.recognizers.kinds import Kinds
from qidguard_standard.recognizers.lexicon import Lexicon

RECOGNIZERS: tuple[Recognizer, ...] = (Content(), Lexicon(), Facts(), Kinds())
"""Every recognizer of this plugin, the surest first."""

__all__ = ["RECOGNIZERS", "Content", "Facts", "Kinds", "Lexicon"]
