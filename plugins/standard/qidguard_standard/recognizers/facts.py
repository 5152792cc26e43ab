"""Keys in which no value repeats, and forms of identifiers where nobody tested values more closely."""

from collections.abc import Iterator, Sequence

from qidguard.sdk import ColumnFacts, DecidedBy, Evidence, Role, RoleProposal, ValueType
from qidguard_standard.recognizers.content.ages import are_moments
from qidguard_standard.recognizers.content.persons import has_persons
from qidguard_standard.recognizers.content.vocabularies import names_a_thing
from qidguard_standard.recognizers.kinds.findings import is_unique, is_whole

LOOKED_LIKE = 0.85
"""Confidence of what an engine found: below a sure word of the lexicon and above an ambiguous one."""
KEY, NAME = 0.55, 0.5
"""Confidence of values that never repeat and are written as keys are, and of texts that hardly ever do."""
ASKED = 0.4
"""Confidence of values that differ and may be amounts."""
MOST_WORDS, LEAST_LETTERS, MOST_REPEATED, FEWEST_TEXTS = 5, 0.1, 0.05, 100
"""Words, and letters, of a name or an address; the share of texts that may repeat where there are so many."""
LEAST_DIGITS, FEWEST_DISTINCT = 0.2, 50
"""Figures of a key among its characters; without them fewer texts than this may be findings that differ."""
LONG_FIGURES = 8
"""Characters of a text of figures that is a key and no amount."""
LONG_NUMBERS, CHANCE_MEETINGS = 1e6, 5.0
"""Numbers of one length are keys from here on; pairs of equal ones that chance would make of amounts."""


class Facts:
    """Proposes direct identifier for what never repeats, and for what an engine saw to look like one."""

    name = "facts"
    title = "columns in which no value repeats, or that an engine saw to look like identifiers"

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return proposals for values that never repeat, and for forms of identifiers that nobody tested.

        Values that never repeat are a question unless the table is about persons and no word of the name
        speaks of a thing. Then texts are sure, also where up to 5 % of 100 or more repeat as names do, and
        so are whole numbers without a gap, of seven digits or more and one length, or so close that
        amounts would repeat: n² / (2 · range) ≥ 5 pairs would be equal by chance (the birthday problem).

        Example:
            >>> from qidguard.sdk import ColumnShape
            >>> shape = ColumnShape(
            ...     looked_at=28,
            ...     shortest=4,
            ...     typical=4,
            ...     longest=4,
            ...     is_same_length=True,
            ...     digits=0.75,
            ...     letters=0.25,
            ...     blanks=0.0,
            ...     words=1.0,
            ... )
            >>> key = ColumnFacts(
            ...     name="x", value_type=ValueType.TEXT, records=30, distinct=28, missing=2, shape=shape
            ... )
            >>> sex = ColumnFacts(name="sex", value_type=ValueType.TEXT, records=30, distinct=2, missing=0)
            >>> found = Facts().propose([key, sex])[0]
            >>> found.assignment.reason, found.is_sure
            ('all 28 values present are distinct', True)
        """
        is_of_persons = has_persons(columns)
        return tuple(proposal for column in columns for proposal in _of(column, is_of_persons=is_of_persons))


def _of(column: ColumnFacts, *, is_of_persons: bool) -> Iterator[RoleProposal]:
    sentence, confidence = _of_difference(column)
    if sentence:
        is_open = not is_of_persons or names_a_thing(column.name) or are_moments(column)
        evidence = Evidence(by=DecidedBy.STATISTICS, sentence=sentence)
        yield RoleProposal.of(
            column.name, Role.DIRECT_IDENTIFIER, min(confidence, ASKED) if is_open else confidence, evidence
        )
    if column.identifiers and column.shape is None:
        look = column.identifiers[0]
        sentence = f"{look.share:.0%}".replace("%", " %") + f" of its values look like {look.kind}"
        evidence = Evidence(by=DecidedBy.CONTENT, sentence=sentence)
        yield RoleProposal.of(column.name, Role.DIRECT_IDENTIFIER, LOOKED_LIKE, evidence)


def _of_difference(column: ColumnFacts) -> tuple[str, float]:
    """Return what it says that values differ, and how sure; nothing where they repeat."""
    present = column.records - column.missing
    is_text, is_number = column.value_type is ValueType.TEXT, is_whole(column)
    shape, every = column.shape, f"all {column.distinct:,} values present are distinct"
    is_short = shape is not None and shape.words <= MOST_WORDS
    if is_unique(column) and (is_text or is_number):
        if is_text:
            # short figures with a comma are marks and amounts that were read as text
            is_word = shape is not None and (shape.letters >= LEAST_LETTERS or shape.typical >= LONG_FIGURES)
            is_figured = shape is not None and shape.digits >= LEAST_DIGITS
            is_many = column.distinct >= FEWEST_DISTINCT or is_figured
            return every, (NAME if is_short and is_word and is_many else ASKED)
        return (f"{every}, and written as keys are", KEY) if _is_key(column) else (every, ASKED)
    is_worded = is_short and shape is not None and shape.letters >= LEAST_LETTERS
    if is_text and is_worded and present >= FEWEST_TEXTS and column.variety >= 1 - MOST_REPEATED:
        return f"{column.variety:.0%} of its texts are distinct".replace("%", " %"), NAME
    return "", 0.0


def _is_key(column: ColumnFacts) -> bool:
    """Whether whole numbers that never repeat are a key: amounts of as many persons would repeat."""
    shape = column.shape
    if column.is_consecutive:
        return True
    if shape is None or shape.low is None or shape.high is None:
        return False
    if shape.is_same_length and shape.low >= LONG_NUMBERS:
        return True
    width = max(1.0, shape.high - shape.low)
    return shape.low >= 0 and column.distinct**2 / (2 * width) >= CHANCE_MEETINGS
