"""A guarantee of differential privacy as plain values: what receipts, ledger and attestations hold of it."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from qidguard.core.exact import exact_text
from qidguard.core.privacy import NoisedPart, PrivacyCost, PrivacyGuarantee, ProtectedUnit

_PARALLEL, _SEQUENCE = "in parallel", "in sequence"


def privacy_document(guarantee: PrivacyGuarantee) -> dict[str, Any]:
    """Return a guarantee as plain values that JSON knows, every number as exact text.

    Example:
        >>> from qidguard.core.privacy import example_guarantee
        >>> privacy_document(example_guarantee())["epsilon"]
        '1/2'
    """
    return {
        "unit": guarantee.unit.value,
        "contributions": guarantee.contributions,
        "partitions_compose": _PARALLEL if guarantee.are_partitions_public else _SEQUENCE,
        **_cost_document(guarantee.cost),
        "parts": [
            {
                "columns": list(part.columns),
                "partition": part.partition,
                "mechanism": part.mechanism,
                "is_checked": part.is_checked,
                "scale": exact_text(part.scale),
                "reach": exact_text(part.reach),
                "bounds": None if part.bounds is None else [exact_text(end) for end in part.bounds],
                **_cost_document(part),
            }
            for part in guarantee.parts
        ],
        "not_covered": list(guarantee.not_covered),
    }


def read_privacy(document: Mapping[str, Any]) -> PrivacyGuarantee:
    """Return the guarantee that ``privacy_document`` wrote.

    Raises:
        ValueError: When it is of another shape or contradicts itself: a scale that does not give its ε, or a
            total that is not what its parts come to.

    Example:
        >>> from qidguard.core.privacy import example_guarantee
        >>> read_privacy(privacy_document(example_guarantee())) == example_guarantee()
        True
    """
    try:
        made = PrivacyGuarantee(
            parts=tuple(map(_part, document["parts"])),
            unit=ProtectedUnit(document["unit"]),
            contributions=document["contributions"],
            are_partitions_public=document["partitions_compose"] == _PARALLEL,
            not_covered=tuple(document["not_covered"]),
        )
    except (KeyError, TypeError, AttributeError, ZeroDivisionError) as fault:
        raise ValueError(f"no guarantee of privacy is written so ({type(fault).__name__})") from None
    if privacy_document(made) != dict(document):
        raise ValueError("a guarantee of privacy contradicts its own parts")
    return made


def _part(document: Mapping[str, Any]) -> NoisedPart:
    bounds = document["bounds"]
    low, high = (None, None) if bounds is None else map(Fraction, bounds)
    return NoisedPart(
        columns=tuple(document["columns"]),
        mechanism=document["mechanism"],
        scale=Fraction(document["scale"]),
        reach=Fraction(document["reach"]),
        bounds=None if low is None or high is None else (low, high),
        epsilon=Fraction(document["epsilon"]),
        delta=Fraction(document["delta"]),
        rho=Fraction(document["rho"]),
        partition=document["partition"],
    )


def _cost_document(cost: PrivacyCost | NoisedPart) -> dict[str, str]:
    return {name: exact_text(getattr(cost, name)) for name in ("epsilon", "delta", "rho")}
