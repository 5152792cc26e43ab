"""Recognition by name: the words of a column's name, or of its label in a codebook, against a lexicon."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Self

from qidguard.sdk import (
    ColumnFacts,
    ColumnKind,
    DecidedBy,
    Evidence,
    KindProposal,
    Role,
    RoleAssignment,
    RoleProposal,
    Sensitivity,
    Tier,
)
from qidguard_standard.recognizers.lexicon.concepts import Concept
from qidguard_standard.recognizers.lexicon.reading import AMBIGUOUS, ASKED
from qidguard_standard.recognizers.lexicon.table import meanings
from qidguard_standard.recognizers.lexicon.tokens import is_within, split_name
from qidguard_standard.recognizers.lexicon.values_against import KIND_DOUBTED, KIND_SAID, kind_in_values
from qidguard_standard.recognizers.lexicon.vocabulary import Vocabulary, standard, standard_words

__all__ = ["ASKED", "Concept", "Lexicon", "Meaning", "Tier", "is_within", "split_name"]


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a column is by its name.

    Args:
        column: The column.
        concept: What it means, such as ``birth_date``.
        roles: Its roles, the one that matters most for a release first.
        tier: Why it is sensitive; None where it is not.
        kind: What its values are.
        confidence: How exactly the name says so, 0..1; at ``ASKED`` it is a question.
        reason: Why, in words that a privacy officer knows.
        why: The same without what follows from it.
        sensitivity: By which law or custom it is sensitive, and of what; None where it is not.
    """

    column: str
    concept: str
    roles: tuple[Role, ...]
    tier: Tier | None
    kind: ColumnKind
    confidence: float
    reason: str
    why: str = ""
    sensitivity: Sensitivity | None = None

    @property
    def is_asked(self) -> bool:
        """Whether it is a question to a person, not a proposal."""
        return self.confidence <= ASKED


class Lexicon:
    """Proposes the role that a column's name says; whole tokens count, and the head noun decides.

    Args:
        folders: Folders of TOML files with words: the plugin's own, and more. A later one adds words to a
            concept of the same name, or brings new concepts.
        name: The recognizer's name.

    Raises:
        ValueError: When a file says something that no lexicon has.
    """

    title = "column names in seven languages of western Europe, and basic words of eighteen more"

    def __init__(self, folders: Iterable[Traversable] = (), name: str = "lexicon") -> None:
        self.name = name
        self._folders = tuple(folders)
        self._read: tuple[Sequence[ColumnFacts], tuple[Meaning, ...]] | None = None

    @classmethod
    def extended(cls, *folders: Traversable, name: str) -> Self:
        """Return a lexicon that knows the words of further folders beside its own.

        Args:
            folders: Each holds TOML files in the format of this plugin's own.
            name: The name of the recognizer that a plugin offers; not ``lexicon``, which this plugin has.
        """
        return cls((standard_words(), *folders), name)

    def extended_with(self, texts: Mapping[str, str]) -> "Lexicon":
        r"""Return a lexicon of the same name that knows the words of these TOML texts, too.

        Args:
            texts: Name of the file → its text, in the format of this plugin's own.

        Raises:
            ValueError: When a text says something that no lexicon has; the sentence names file and concept.

        Example:
            >>> lexicon = Lexicon().extended_with({"ours.toml": "[income_wealth]\nall = ['gage']"})
            >>> from qidguard.sdk import ValueType
            >>> column = ColumnFacts(
            ...     name="gage", value_type=ValueType.NUMBER, records=8, distinct=6, missing=0
            ... )
            >>> lexicon.read([column])[0].concept
            'income_wealth'
        """
        extended = Lexicon(self._folders, self.name)
        extended.vocabulary = Vocabulary.of(self._folders or (standard_words(),), texts)
        return extended

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words, read when they are first needed."""
        return Vocabulary.of(self._folders) if self._folders else standard()

    def read(self, columns: Sequence[ColumnFacts]) -> tuple[Meaning, ...]:
        """Return the meaning of each column whose name is known, questions too.

        Example:
            >>> from qidguard.sdk import ValueType
            >>> column = ColumnFacts(
            ...     name="monthly_income", value_type=ValueType.NUMBER, records=8, distinct=6, missing=0
            ... )
            >>> meaning = Lexicon().read([column])[0]
            >>> meaning.concept, meaning.tier.value, meaning.kind.value
            ('income_wealth', 'confidential', 'amount')
        """
        if self._read is None or self._read[0] is not columns or not isinstance(columns, tuple):
            self._read = (columns, self._meanings(columns))
        return self._read[1]

    def _meanings(self, columns: Sequence[ColumnFacts]) -> tuple[Meaning, ...]:
        return tuple(
            Meaning(
                column=found.column,
                concept=found.concept.name,
                roles=found.concept.roles,
                tier=found.concept.tier,
                kind=found.kind,
                confidence=round(found.confidence, 2),
                reason=_reason(found.concept, found.why),
                why=found.why,
                sensitivity=found.concept.sensitivity,
            )
            for found in meanings(columns, self.vocabulary)
        )

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column whose name is known; the longest word in it decides.

        What is unsure, or sensitive by the table's topic alone, is a question: its confidence is ``ASKED``.

        Example:
            >>> from qidguard.sdk import ValueType
            >>> column = ColumnFacts(
            ...     name="patient_nbr", value_type=ValueType.INTEGER, records=8, distinct=6, missing=0
            ... )
            >>> Lexicon().propose([column])[0].assignment.reason
            "its name has 'patient number' (number of a patient, a stay or a record)"
        """
        return tuple(
            RoleProposal(
                assignment=RoleAssignment(
                    column=meaning.column,
                    role=meaning.roles[0],
                    decided_by=DecidedBy.LEXICON,
                    reason=meaning.reason,
                    is_also_sensitive=meaning.roles == (Role.QUASI_IDENTIFIER, Role.SENSITIVE),
                ),
                confidence=meaning.confidence,
                sensitivity=meaning.sensitivity,
            )
            for meaning in self.read(columns)
        )

    def propose_kinds(self, columns: Sequence[ColumnFacts]) -> tuple[KindProposal, ...]:
        """Return the kind of each column whose name is known, where its values allow it.

        Example:
            >>> from qidguard.sdk import ValueType
            >>> column = ColumnFacts(
            ...     name="sex", value_type=ValueType.INTEGER, records=90, distinct=3, missing=0
            ... )
            >>> [(found.kind.value, found.confidence) for found in Lexicon().propose_kinds([column])]
            [('code', 0.85)]
        """
        facts = {column.name: column for column in columns}
        proposals = []
        for meaning in self.read(columns):
            kind = kind_in_values(meaning.kind, facts[meaning.column])
            if kind is not None:
                evidence = Evidence(by=DecidedBy.LEXICON, sentence=meaning.why)
                confidence = KIND_SAID if meaning.confidence >= AMBIGUOUS else KIND_DOUBTED
                proposals.append(
                    KindProposal(
                        column=meaning.column, kind=kind, confidence=confidence, evidence=(evidence,)
                    )
                )
        return tuple(proposals)


def _reason(concept: Concept, why: str) -> str:
    return f"{why}; {concept.note}" if concept.note else why
