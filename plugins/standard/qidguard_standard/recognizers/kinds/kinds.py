"""The kind of a column from its type, the shape of its values, what tests find, and words of its name."""

from collections.abc import Iterator, Sequence

from qidguard.sdk import (
    ColumnFacts,
    ColumnKind,
    ContentTest,
    Evidence,
    KindProposal,
    RoleProposal,
    ValueType,
)
from qidguard_standard.recognizers.content.check_digits import checked_numbers
from qidguard_standard.recognizers.content.content import FORM_ROLES
from qidguard_standard.recognizers.kinds.findings import (
    HALF,
    LIKELY,
    MOST,
    MOST_BANDS,
    MOST_CODES,
    SURE,
    FoundKind,
    by_name,
    is_whole,
    is_year,
    of_texts,
    of_whole_numbers,
    said,
)
from qidguard_standard.recognizers.kinds.tests import FORMS, lists_of, vocabulary_tests

_BY_TEST = {
    **{number.test.name: ColumnKind.KEY for number in checked_numbers()},
    **{name: form.kind for name, form in FORM_ROLES.items()},
    "icd10": ColumnKind.CODE,
    "web_page": ColumnKind.TEXT,
    **dict.fromkeys(("word_country", "word_us_state"), ColumnKind.PLACE),
    **dict.fromkeys(("kind_year_and_month", "kind_quarter", "kind_clock", "word_month"), ColumnKind.PERIOD),
    "kind_weekday": ColumnKind.PERIOD,
    "word_education": ColumnKind.ORDINAL,
    **dict.fromkeys(("word_sex", "word_marital", "word_race"), ColumnKind.NOMINAL),
    **dict.fromkeys(("word_work_class", "word_relationship", "word_occupation"), ColumnKind.NOMINAL),
    **dict.fromkeys(("word_nationality", "word_religion", "word_politics"), ColumnKind.NOMINAL),
    **dict.fromkeys(("word_orientation", "word_specialty", "word_yes_no"), ColumnKind.NOMINAL),
    "word_color": ColumnKind.NOMINAL,
}
"""Test of content → the kind of values that pass it."""
_VOCABULARIES = ("word_", "kind_")


class Kinds:
    """Proposes what the values of columns are; it has no opinion of roles."""

    name = "kinds"
    title = "kinds of values: codes, counts, amounts, periods, places, keys and the like"

    @property
    def tests(self) -> tuple[ContentTest, ...]:
        """Tests that tell kinds apart; what the tests of other recognizers find is read, too."""
        return (*FORMS, *vocabulary_tests())

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return nothing: a kind is no role."""
        del columns
        return ()

    def propose_kinds(self, columns: Sequence[ColumnFacts]) -> tuple[KindProposal, ...]:
        """Return a proposal for each column that is not empty; what is unsure is a question.

        Example:
            >>> from qidguard.sdk import Look
            >>> years = Look(kind="years", share=1.0, share_of_records=1.0, test="kind_year", looked_at=30)
            >>> column = ColumnFacts(
            ...     name="x",
            ...     value_type=ValueType.INTEGER,
            ...     records=90,
            ...     distinct=30,
            ...     missing=0,
            ...     looks=(years,),
            ... )
            >>> found = Kinds().propose_kinds([column])[0]
            >>> found.kind.value, found.assignment.reason
            ('period', '100 % of its values are years')
        """
        proposals = []
        for column in columns:
            best = max(_findings(column), key=lambda found: found.confidence, default=None)
            if best is not None:
                evidence = Evidence(by=best.by, sentence=best.sentence, test=best.test)
                proposals.append(
                    KindProposal(
                        column=column.name, kind=best.kind, confidence=best.confidence, evidence=(evidence,)
                    )
                )
        return tuple(proposals)


def _findings(column: ColumnFacts) -> Iterator[FoundKind]:
    if column.value_type is ValueType.EMPTY or not column.distinct:
        return
    if column.value_type in {ValueType.DATE, ValueType.TIMESTAMP}:
        yield FoundKind(kind=ColumnKind.DATE, confidence=0.97, sentence="its values are dates")
        return
    if column.value_type is ValueType.BOOLEAN:
        yield FoundKind(kind=ColumnKind.NOMINAL, confidence=0.97, sentence="its values are true and false")
        return
    yield from _by_codebook(column)
    yield from _by_tests(column)
    if column.value_type is ValueType.TEXT:
        yield from of_texts(column)
    elif is_whole(column):
        yield from of_whole_numbers(column)
    else:
        yield FoundKind(kind=ColumnKind.AMOUNT, confidence=LIKELY, sentence="its values have decimals")
    yield from by_name(column)


def _by_codebook(column: ColumnFacts) -> Iterator[FoundKind]:
    if column.has_value_labels and column.distinct <= MOST_CODES:
        sentence = "the codebook has a label for each of its values"
        yield FoundKind(kind=ColumnKind.CODE, confidence=0.95, sentence=sentence)


def _by_tests(column: ColumnFacts) -> Iterator[FoundKind]:
    if is_year(column):
        look = column.look("kind_year")
        assert look is not None  # noqa: S101 - is_year says so
        yield said(look, ColumnKind.PERIOD, SURE)
    for look in column.looks:
        kind = _BY_TEST.get(look.test)
        if kind is None and look.test.removeprefix("kind_") in lists_of("ordered"):
            kind = ColumnKind.ORDINAL
        if kind is None:
            continue
        is_vocabulary = look.test.startswith(_VOCABULARIES) and column.value_type is ValueType.TEXT
        is_most = look.share >= 0.9 or (is_vocabulary and look.share >= HALF < look.share_of_records)  # noqa: PLR2004 - shifted rows
        if is_most and column.distinct >= 2:  # noqa: PLR2004 - a single value says nothing
            # of two vocabularies the one that knows more of the values counts
            yield said(look, kind, SURE - 0.1 * (1 - look.share))
    icd9, lettered = column.look("icd9"), column.look("icd9_lettered")
    if icd9 is not None and lettered is not None and icd9.share >= MOST:
        yield said(icd9, ColumnKind.CODE, SURE)
    is_digits = column.shape is not None and column.shape.digits >= 1
    for test, least in (("kind_bound", HALF), ("kind_or_more", MOST)):
        bound = None if is_digits else column.look(test)
        if bound is not None and bound.share >= least and 2 < column.distinct <= MOST_BANDS:  # noqa: PLR2004 - no flag
            yield said(bound, ColumnKind.ORDINAL, 0.88)
