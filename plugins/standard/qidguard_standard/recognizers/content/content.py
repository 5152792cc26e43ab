"""What a column is by its content, from shares of values that pass tests; never from its name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qidguard.sdk import ColumnFacts, ColumnKind, ContentTest, Look, Role, RoleProposal
from qidguard_standard.recognizers.content.ages import AGES
from qidguard_standard.recognizers.content.check_digits import checked_numbers
from qidguard_standard.recognizers.content.codes import CODES
from qidguard_standard.recognizers.content.forms import FORMS
from qidguard_standard.recognizers.content.medicine import MEDICINE
from qidguard_standard.recognizers.content.names import NAMES
from qidguard_standard.recognizers.content.persons import IN_COMPANY, has_persons, of_persons
from qidguard_standard.recognizers.content.saying import (
    DOUBTED_ORDERS,
    MOST,
    QUESTION,
    SURE_ORDERS,
    orders_against_chance,
    say,
    say_share,
)
from qidguard_standard.recognizers.content.vocabularies import (
    ValueVocabulary,
    is_named_otherwise,
    names_a_thing,
    vocabularies,
)

CHECKED = 0.85
"""Confidence where digits check: below a sure word of the lexicon and above an ambiguous one."""
ASKED_FROM = 0.8
"""Share of the values from which a person is asked about a weak test."""
CODED = 0.5
"""Confidence of codes that a list holds, such as those of countries."""
LIKELIER = 1.5
"""How many times the lift of a harmless kind must be another's; NHS numbers and old ISBNs check alike."""
NEAR = 0.03
"""Shares that differ by less are alike."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """What a column is whose values pass a test of forms.

    Args:
        role: Its role.
        kind: What kind of values they are.
        confidence: From ``least`` on; below it a person is asked.
        least: Share of the distinct values.
        asked: Share from which a person is asked.
        fewest: Distinct values below which nothing is said.
        variety: Share of the records that differ, below which nothing is said.
    """

    role: Role
    kind: ColumnKind
    confidence: float
    least: float = MOST
    asked: float = 0.5
    fewest: int = 1
    variety: float = 0.0


_DIRECT, _QID, _SENSITIVE = Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE
_Kind = ColumnKind

FORM_ROLES = {
    "email": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.85, least=0.5, asked=0.1),
    "phone": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.85, least=0.8, fewest=3),
    "us_ssn": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.85, least=0.8, fewest=3),
    "ipv4": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.85, least=0.9, fewest=3),
    "ipv6": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.85, least=0.5),
    "mac": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.85, least=0.5),
    "uuid": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.8, least=0.9, fewest=20),
    "profile": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.85, least=0.5),
    "handle": Form(role=_DIRECT, kind=_Kind.KEY, confidence=0.7, fewest=20),
    "full_name": Form(role=_DIRECT, kind=_Kind.TEXT, confidence=0.85, least=0.4, asked=0.25, fewest=10),
    "street_address": Form(role=_DIRECT, kind=_Kind.TEXT, confidence=0.85, least=0.5, asked=0.3, fewest=10),
    "point": Form(role=_QID, kind=_Kind.PLACE, confidence=0.75, least=0.9),
    "postcode_lettered": Form(role=_QID, kind=_Kind.PLACE, confidence=0.65, fewest=5),
    "postcode_dashed": Form(role=_QID, kind=_Kind.PLACE, confidence=QUESTION, fewest=5),
    "written_date": Form(role=_QID, kind=_Kind.DATE, confidence=0.6, least=0.9),
    "worded_date": Form(role=_QID, kind=_Kind.DATE, confidence=0.6, least=0.9),
    "year_and_month": Form(role=_QID, kind=_Kind.PERIOD, confidence=0.5),
    "age_band": Form(role=_QID, kind=_Kind.ORDINAL, confidence=0.5, fewest=3),
    "income_band": Form(role=_SENSITIVE, kind=_Kind.ORDINAL, confidence=0.5, least=0.9, fewest=2),
    "blood_group": Form(role=_SENSITIVE, kind=_Kind.NOMINAL, confidence=0.65, least=0.9, fewest=3),
    "atc": Form(role=_SENSITIVE, kind=_Kind.CODE, confidence=0.65, fewest=5),
    "ndc": Form(role=_SENSITIVE, kind=_Kind.CODE, confidence=0.5, fewest=5),
    "snomed": Form(role=_SENSITIVE, kind=_Kind.CODE, confidence=0.7, least=0.9, fewest=3),
    "drug": Form(role=_SENSITIVE, kind=_Kind.NOMINAL, confidence=0.7, least=0.6, asked=0.4, fewest=5),
    "diagnosis": Form(role=_SENSITIVE, kind=_Kind.NOMINAL, confidence=0.6, least=0.5, asked=0.35, fewest=5),
}
"""Test of a form → what the column then is: its role, and the kind of its values."""

_FORENAMES, _SURNAMES, _ICD_COMMON = 0.35, 0.3, 0.3
_FEWEST_NAMES = 20
_FEWEST_ICD10, _FEWEST_ICD9 = 5, 20
_FEWEST_TEXTS, _FEWEST_PHRASES = 10, 5
_CITIES = 0.35
"""Share of places from which they are cities: a list holds the large ones only."""


class Content:
    """Proposes roles for columns by what share of their values passes tests of content."""

    name = "content"
    title = "check digits, forms, vocabularies and names among the values, in seven languages"

    @property
    def tests(self) -> tuple[ContentTest, ...]:
        """Every test."""
        numbers = (number.test for number in checked_numbers())
        words = (vocabulary.test for vocabulary in vocabularies())
        return (*numbers, *FORMS, *MEDICINE, *NAMES, *AGES, *CODES, *words)

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return proposals for the columns whose values say something; several for one column are rivals.

        Nothing is said of an empty column, nor where values were not tested.

        Example:
            >>> from qidguard.sdk import Look, ValueType
            >>> found = (Look(kind="IBANs", share=0.98, test="iban", looked_at=50, chance=0.0002),)
            >>> facts = ColumnFacts(
            ...     name="x", value_type=ValueType.TEXT, records=60, distinct=50, missing=0, looks=found
            ... )
            >>> Content().propose([facts])[0].assignment.reason
            '98 % of its values are IBANs'
        """
        has_surnames = any(_is_name(column, "surname", _SURNAMES) for column in columns)
        has_forenames = any(_is_name(column, "forename", _FORENAMES) for column in columns)
        is_company = has_persons(columns)
        is_known = is_company or (has_surnames and has_forenames)
        proposals: list[RoleProposal] = []
        for column in columns:
            proposals += _of_numbers(column)
            proposals += _of_forms(column)
            proposals += _of_words(column, is_company=is_company)
            proposals += _of_names(column, is_known=is_known)
            proposals += _of_diagnoses(column)
            proposals += _of_texts(column)
        proposals += of_persons(columns, is_company=is_company)
        return tuple(proposals)


def _of_numbers(column: ColumnFacts) -> Iterator[RoleProposal]:
    """Yield the likeliest kind of number whose digits check, unless a harmless kind is likelier."""
    found = [
        (look, number.is_harmless)
        for number in checked_numbers()
        if (look := column.look(number.test.name)) is not None
        and look.share >= ASKED_FROM
        and orders_against_chance(look) >= DOUBTED_ORDERS
    ]
    if not found:
        return
    best = max(look.share for look, _ in found)
    alike = [(look, is_harmless) for look, is_harmless in found if look.share >= best - NEAR]
    look, is_harmless = max(alike, key=lambda one: one[0].lift / (LIKELIER if one[1] else 1))
    if is_harmless:
        return
    is_sure = look.share >= MOST and orders_against_chance(look) >= SURE_ORDERS
    yield say_share(column, _DIRECT, CHECKED if is_sure else QUESTION, look)


def _of_forms(column: ColumnFacts) -> Iterator[RoleProposal]:
    for look in column.looks:
        form = FORM_ROLES.get(look.test)
        if form is None or look.share < min(form.asked, form.least):
            continue
        if column.distinct < form.fewest:
            if form.role is _DIRECT and look.share >= ASKED_FROM:
                yield say_share(column, form.role, QUESTION, look)
            continue
        version = column.look("version")
        if look.test == "ipv4" and version is not None and version.share > look.share + NEAR:
            continue
        is_sure = look.share >= form.least and look.looked_at >= min(form.fewest, column.distinct)
        if is_sure or form.least < MOST or look.share >= ASKED_FROM:
            yield say_share(column, form.role, form.confidence if is_sure else QUESTION, look)


def _of_words(column: ColumnFacts, *, is_company: bool) -> Iterator[RoleProposal]:
    """Yield the roles of the vocabulary that most of the values stand in."""
    if column.distinct < 2:  # noqa: PLR2004 - a single value says nothing
        return
    found = [
        (look, vocabulary)
        for vocabulary in vocabularies()
        if (look := column.look(vocabulary.test.name)) is not None
        and (not look.chance or orders_against_chance(look) >= DOUBTED_ORDERS)
        and _is_known(look, vocabulary, column)
    ]
    if not found:
        return
    # of two that know as much, phrases say less than words, and words say less than what is harmless
    look, best = max(
        found,
        key=lambda one: (
            round(one[0].share + one[0].share_of_records, 2),
            not one[1].is_phrase,
            not one[1].roles,
        ),
    )
    is_of_a_thing = names_a_thing(column.name)
    is_doubted = is_of_a_thing and best.is_place
    if look.chance:
        # short codes are soon one by chance
        is_sure = look.share >= MOST and orders_against_chance(look) >= SURE_ORDERS and not is_of_a_thing
        yield say_share(column, best.roles[0], CODED if is_sure else QUESTION, look)
        return
    if best.is_in_company:
        is_doubted = is_of_a_thing or not is_company
    elif _is_letters(column):
        # F and M are degrees of a charge as well, where the name says so
        is_doubted = not is_company or is_named_otherwise(column.name, best.roles)
    if is_doubted:
        yield from (say_share(column, role, QUESTION, look) for role in best.roles[:1])
        return
    surest = IN_COMPANY if best.is_in_company else 0.65 if best.roles == (_QID, _SENSITIVE) else 0.6
    for place, role in enumerate(best.roles):
        yield say_share(column, role, surest - 0.05 * place, look)


def _is_letters(column: ColumnFacts) -> bool:
    return column.shape is not None and column.shape.longest <= 1


def _is_known(look: Look, vocabulary: ValueVocabulary, column: ColumnFacts) -> bool:
    """Whether a vocabulary knows enough of the values: all of a few, most of many, half of the phrases."""
    if vocabulary.is_phrase:
        return column.distinct >= _FEWEST_PHRASES and max(look.share, look.share_of_records) >= 0.5  # noqa: PLR2004 - half
    least = MOST if column.distinct <= 5 else ASKED_FROM  # noqa: PLR2004 - of few values all must be known
    if vocabulary.is_place and vocabulary.is_in_company:
        least = min(least, _CITIES)
    return look.share >= least or (look.share >= 0.5 and look.share_of_records >= MOST)  # noqa: PLR2004 - half


def _is_name(column: ColumnFacts, test: str, least: float) -> bool:
    look = column.look(test)
    other = column.look("surname" if test == "forename" else "forename")
    if look is None or column.distinct < _FEWEST_NAMES or max(look.share, look.share_of_records) < least:
        return False
    if look.share < least / 2:
        return False  # one frequent value, such as a color of skin, is a surname, too
    return other is None or look.share >= other.share


def _of_names(column: ColumnFacts, *, is_known: bool) -> Iterator[RoleProposal]:
    """Yield a proposal for names of persons: a question where nothing else speaks of persons, or of few.

    Alone, forenames may be those of storms; of few values most must be names, and no months or colors.
    """
    for test, least in (("forename", _FORENAMES), ("surname", _SURNAMES)):
        look = column.look(test)
        if look is None:
            continue
        if _is_name(column, test, least):
            yield say_share(column, _DIRECT, 0.8 if is_known else QUESTION, look)
        elif column.distinct < _FEWEST_NAMES and look.share >= ASKED_FROM and not _is_named_otherwise(column):
            yield say_share(column, _DIRECT, QUESTION, look)


def _is_named_otherwise(column: ColumnFacts) -> bool:
    return any(look.share >= ASKED_FROM for look in column.looks if look.test.startswith(("word_", "kind_")))


def _of_diagnoses(column: ColumnFacts) -> Iterator[RoleProposal]:
    """Yield what codes of diagnoses say: common ones among those of ICD-10, causes among those of ICD-9."""
    shaped, common = column.look("icd10"), column.look("icd10_common")
    if shaped is not None and common is not None and column.distinct >= _FEWEST_ICD10:
        is_common = max(common.share, common.share_of_records) >= _ICD_COMMON
        if is_common and shaped.share >= MOST:
            yield say_share(column, _SENSITIVE, 0.65, shaped)
    shaped, lettered = column.look("icd9"), column.look("icd9_lettered")
    if shaped is not None and lettered is not None and column.distinct >= _FEWEST_ICD9:
        is_mostly_numbers = lettered.share < 0.5  # noqa: PLR2004 - half
        if is_mostly_numbers and shaped.share >= MOST:
            yield say_share(column, _SENSITIVE, 0.5, shaped)


def _of_texts(column: ColumnFacts) -> Iterator[RoleProposal]:
    """Yield a question about free text, which may name persons."""
    shape = column.shape
    if shape is None or column.distinct < _FEWEST_TEXTS:
        return
    if shape.words >= 6 and shape.typical >= 32 and shape.letters >= 0.6 and column.variety >= 0.5:  # noqa: PLR2004 - measured on notes
        sentence = "its values are long texts that differ, which may name persons"
        yield say(column, _DIRECT, QUESTION, sentence)
