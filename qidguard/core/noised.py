"""Quasi-identifiers with noise: how thresholds read them, and what can be learned of them all the same."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from qidguard.core.exact import short_text
from qidguard.core.privacy import NoisedPart, PrivacyCost, PrivacyGuarantee

_LARGEST_EXPONENT = 30
"""Above it a factor is told as a power of e alone."""


class NoisedReading(StrEnum):
    """How a threshold reads quasi-identifiers that noise was drawn for.

    ``AS_PUBLISHED`` takes their published values as if an attacker knew them: what then holds, holds over all
    columns. ``LEFT_OUT`` measures over the others alone, and says nothing of who knows a noised one, too.
    """

    AS_PUBLISHED = "as_published"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, kw_only=True)
class NoisedQids:
    """Over which columns a figure was asked for where noise was drawn for some.

    Args:
        over: The columns that it was measured over; of an attacker who knows any m of them, all of them.
        as_published: Those of them that have noise.
        left_out: The combination's other columns: they have noise, and were left out.
    """

    over: tuple[str, ...]
    as_published: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        """All columns of the combination, those that were left out last."""
        return (*self.over, *self.left_out)


@dataclass(frozen=True, kw_only=True)
class NoisedCombination:
    """A QID combination some columns of which have noise.

    Args:
        combination: Its name.
        qids: Its columns.
        noised: Those that have noise.
        sentence: What an attacker can learn of a noised value, and over which columns limits were measured.
    """

    combination: str
    qids: tuple[str, ...]
    noised: tuple[str, ...]
    sentence: str


def noised_text(document: Mapping[str, Sequence[str]]) -> str:
    """Return how a figure read columns with noise as one text, the same whatever the order of columns.

    Example:
        >>> noised_text({"over": ["sex", "age"], "as_published": ["age"], "left_out": []})
        '{"as_published": ["age"], "left_out": [], "over": ["age", "sex"]}'
    """
    return json.dumps({name: sorted(columns) for name, columns in document.items()}, sort_keys=True)


def noise_words(guarantee: PrivacyGuarantee, columns: Sequence[str]) -> Iterator[str]:
    """Yield for each part of a guarantee on some of the columns what noise it is and what can be learned.

    The standard deviation is that of the noise before values are held to their bounds: √2 · b of Laplace
    noise of scale b, and the scale of Gaussian noise. It depends on nothing in the table.

    Args:
        guarantee: The guarantee.
        columns: Names of quasi-identifiers.

    Example:
        >>> from qidguard.core.privacy import example_guarantee
        >>> list(noise_words(example_guarantee(), ["age", "sex"]))[0]  # doctest: +ELLIPSIS
        'age has laplace noise of scale 146 (standard deviation 206 in its unit), and no two ...'
    """
    for part in guarantee.parts:
        if set(part.columns) & set(columns):
            yield _part_words(part)


def odds_words(guarantee: PrivacyGuarantee, columns: Sequence[str]) -> str:
    """Return how far noised columns tell two records apart that agree otherwise; empty where none is known.

    Exchanging two values changes the probability of what is published by at most e^(2ε), ε summed over the
    parts on the columns, so the odds that a record is the one and not the other lie within that factor.

    Example:
        >>> from qidguard.core.privacy import example_guarantee
        >>> odds_words(example_guarantee(), ["age"])
        'of two records that agree in the others, they tell whose is whose at odds of at most e^1 = 2.72 to 1'
    """
    parts = [part for part in guarantee.parts if set(part.columns) & set(columns)]
    if not parts or any(part.bounds is None or part.delta or not part.epsilon for part in parts):
        return ""
    epsilon = sum((part.cost.epsilon for part in parts), Fraction(0))
    return (
        "of two records that agree in the others, they tell whose is whose at odds of at most"
        f" {_power(2 * epsilon)} to 1"
    )


def _part_words(part: NoisedPart) -> str:
    where = f" in {part.partition}" if part.partition else ""
    spread = _deviation(part)
    of = ", ".join(part.columns)
    subject = f"{of} has" if part.bounds is not None else f"counts over {of} have"
    noise = f"{subject} {part.mechanism.replace('_', ' ')} noise of scale {_short(part.scale)}"
    noise += f" (standard deviation {spread} in its unit){where}" if spread else where
    if not part.epsilon:
        return f"{noise}, which costs {PrivacyCost(rho=part.rho, delta=part.delta).text}; no factor bounds it"
    but = f", but for a probability of {_short(part.delta)}" if part.delta else ""
    factor = _power(part.epsilon)
    if part.bounds is None:
        return f"{noise}, and one record makes what is published at most {factor} times as likely{but}"
    low, high = map(short_text, part.bounds)
    between = f"in {low}..{high}"
    if part.is_by_distance:
        between = f"at most {_short(part.reach)} apart {between}"
    told = f"make what is published more than {factor} times as likely, the one as the other{but}"
    if part.is_by_distance:
        told += f" ({_power(part.cost.epsilon, has_number=False)} over the whole range)"
    return f"{noise}, and no two values {between} {told}"


def _deviation(part: NoisedPart) -> str:
    if part.mechanism in {"laplace", "discrete_laplace"}:
        return f"{math.sqrt(2) * float(part.scale):.3g}"
    return f"{float(part.scale):.3g}" if part.mechanism in {"gaussian", "discrete_gaussian"} else ""


def _power(exponent: Fraction, *, has_number: bool = True) -> str:
    text = short_text(exponent)
    power = f"e^{text}" if text.isdecimal() else f"e^({text})"
    if not has_number or exponent > _LARGEST_EXPONENT:
        return power
    return f"{power} = {math.exp(exponent):.3g}"


def _short(number: Fraction) -> str:
    text = short_text(number)
    return text if "about" not in text and len(text) < 10 else f"{float(number):.4g}"  # noqa: PLR2004 - more is not read
