"""The objective that recognises quasi-identifiers."""

from qidguard import Objective, Term

RECOGNITION = Objective(
    name="recognition",
    title="What each column tells of its own, at a price of 0.3 bits a column",
    terms=(
        Term(metric="own_information"),
        Term(metric="column_count", weight=-0.3),
    ),
)
"""F(x) = own information − 0.3·|x|, in bits.

A quasi-identifier is a column by which outsiders can tell people apart. What counts can say of that: it tells
something (a flag that is set for 5 % of the people tells 0.29 bits: the price of a column is about that), it
tells something that no other column tells (a function of another one does not), and it is no measurement that
nobody outside holds (where many are alone by it). What outsiders really know, no count can say.

Distinction and separation are no terms: with four strong columns nearly everybody is unique, and from then on
neither sees a further column, while a single measurement raises both more than any quasi-identifier does.
"""
