"""What the rest of a table says of a word: its topics, its other concepts, and whether it is of persons."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from qidguard.sdk import ColumnKind, Role
from qidguard_standard.recognizers.lexicon.concepts import Concept
from qidguard_standard.recognizers.lexicon.reading import ASKED, COMPANY

ON_TOPIC = 0.6
"""Confidence of a weak word in a table whose topic is the word's own."""
ON_PLAIN_TOPIC, PLAIN_TOPICS = 0.5, frozenset({"health", "crime"})
"""Confidence of what nobody knows in a table about these first of all; about money it is a question."""
FEWEST_PLAIN, PLAIN_SHARE = 3, 0.2
"""Columns, and share of the columns, of such a topic from which on that is believed."""
FEWEST_ON_TOPIC, SHARE_ON_TOPIC = 2, 0.1
"""Columns, and share of the columns, that make a topic."""
FEWEST_COLUMNS = 5
"""In a table with fewer columns, that no other one is about a person says nothing."""
TOPIC_WORDS = {"health": "health", "money": "money", "crime": "crime", "school": "marks at school"}
FEWEST_PERSONAL = 4
"""Concepts of persons beside which a word that says little of a QID is believed."""
_IMPERSONAL = {
    "residence",
    "postcode",
    "geo_point",
    "geo_area",
    "url_ip",
    "period",
    "free_text",
    "account_no",
}
BY_TOPIC = "by_topic"
"""The concept of names that say nothing, unless the table's topic is sensitive."""


@dataclass(frozen=True, kw_only=True)
class FoundMeaning:
    """What one column is by its name.

    Args:
        column: The column.
        concept: What it means.
        kind: What its values are.
        confidence: 0..1.
        why: Why, in one phrase.
        is_sure: Whether the word has one meaning.
        is_weak: Whether the word, by itself, only raises a question.
    """

    column: str
    concept: Concept
    kind: ColumnKind
    confidence: float
    why: str
    is_sure: bool = True
    is_weak: bool = False


def topics_of(found_all: Sequence[FoundMeaning], columns: int) -> Counter[str]:
    """Return the topics that enough columns are about, with their number."""
    counted = Counter(
        found.concept.topic
        for found in found_all
        if found.confidence > ASKED and Role.SENSITIVE in found.concept.roles and found.concept.topic
    )
    return Counter(
        {
            topic: number
            for topic, number in counted.items()
            if number >= FEWEST_ON_TOPIC and number >= SHARE_ON_TOPIC * columns
        }
    )


@dataclass(frozen=True, kw_only=True)
class Context:
    """What the rest of the table says: its topics, its sure concepts, whether it is of persons or a log."""

    topics: Counter[str]
    columns: int
    sure: frozenset[str]
    is_about_persons: bool
    is_log: bool
    persons: int

    @classmethod
    def of(
        cls, found_all: Sequence[FoundMeaning], topics: Counter[str], columns: int, *, is_about_persons: bool
    ) -> "Context":
        """Return the context that the meanings of all known columns make."""
        names = [found.concept.name for found in found_all]
        return cls(
            topics=topics,
            columns=columns,
            sure=frozenset(found.concept.name for found in found_all if found.confidence > ASKED),
            is_about_persons=is_about_persons,
            persons=len({found.concept.name for found in found_all if is_personal(found)}),
            is_log=names.count(BY_TOPIC) >= FEWEST_ON_TOPIC and "period" in names,
        )

    @property
    def spoken(self) -> str:
        """What makes results of it sensitive, as the end of a sentence; nothing where nothing does."""
        if self.topics:
            return f"the table speaks of {most(self.topics)}"
        if self.is_about_persons:
            return "the table is about persons"
        return "the table is a log of results, perhaps of persons" if self.is_log else ""


def is_personal(found: FoundMeaning | None) -> bool:
    """Return whether a column shows that the table is about persons."""
    if found is None or not found.is_sure or found.confidence < COMPANY:
        return False
    return found.concept.name not in _IMPERSONAL


def in_context(found: FoundMeaning, context: Context) -> FoundMeaning | None:
    """Return what the rest of the table makes of a word: a topic speaks for it, no person against it."""
    if found.concept.name == BY_TOPIC:
        if not context.spoken:
            return None
        is_sure = is_plain_topic(context.topics, context.columns)
        confidence = ON_PLAIN_TOPIC if is_sure else ASKED
        return replace(found, confidence=confidence, why=f"{found.why}; {context.spoken}")
    if found.is_weak:
        is_on_topic = found.concept.topic in context.topics
        is_key_of_persons = found.concept.kind is ColumnKind.KEY and context.is_about_persons
        has_company = context.is_about_persons and found.concept.name in context.sure
        has_company |= context.persons >= FEWEST_PERSONAL and found.concept.roles == (Role.QUASI_IDENTIFIER,)
        is_sure = is_on_topic or is_key_of_persons or has_company
        return replace(found, confidence=ON_TOPIC) if is_sure else found
    is_alone = not context.is_about_persons and not context.topics and context.columns >= FEWEST_COLUMNS
    if not found.is_sure and is_alone:
        return replace(
            found,
            confidence=min(found.confidence, ASKED),
            why=f"{found.why}; yet no other column is about persons",
        )
    return found


def is_plain_topic(topics: Counter[str], columns: int) -> bool:
    """Return whether so much of a table is about health or crime that what nobody knows is, too."""
    topic, number = topics.most_common(1)[0] if topics else ("", 0)
    return topic in PLAIN_TOPICS and number >= max(FEWEST_PLAIN, PLAIN_SHARE * columns)


def most(topics: Counter[str]) -> str:
    """Return the topic that most columns are about, in words."""
    topic = topics.most_common(1)[0][0]
    return TOPIC_WORDS.get(topic, topic)
