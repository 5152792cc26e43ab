"""A guarantee of differential privacy in a few lines: each part, and what it leaves open."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from qidguard.core.exact import short_text
from qidguard.core.privacy import PrivacyCost
from qidguard.rendering.printable import listed, visible


def privacy_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a guarantee as ``privacy_document`` writes it.

    Example:
        >>> from qidguard.core.privacy import example_guarantee
        >>> from qidguard.core.privacy_document import privacy_document
        >>> for line in privacy_lines(privacy_document(example_guarantee())):
        ...     print(line)
        differential privacy: ε = 1/2 a record in all, what attributes cost added up
          age: ε = 1/2, laplace noise of scale 146, wherever the value lies in 17..90
          not covered: Every other column is published as it is.
    """
    whose = f"a {document['unit']}"
    if document["contributions"] > 1:
        whose += f" of at most {document['contributions']:,} records"
    names = {part["partition"] for part in document["parts"]} - {""}
    how = f" and partitions composed {document['partitions_compose']}" if names else ""
    yield f"differential privacy: {_cost(document)} {whose} in all, what attributes cost added up{how}"
    for part in document["parts"]:
        yield f"  {_part(part)}"
    for sentence in document["not_covered"]:
        yield f"  not covered: {visible(sentence)}"


def charge_lines(document: Mapping[str, Any], *, is_rehearsal: bool) -> Iterator[str]:
    """Yield what was charged, or what a run that is no rehearsal would charge."""
    cost = _cost(document)
    if is_rehearsal:
        yield "REHEARSAL: noise was drawn by the seed, nothing was charged, and nothing may be published"
        yield f"a real run charges {cost} before it draws, and that stays charged where its result is blocked"
    else:
        yield f"{cost} was charged to the privacy budget, and stays charged whatever came of it"


def _part(part: Mapping[str, Any]) -> str:
    where = f" in {visible(part['partition'])}" if part["partition"] else ""
    checked = "" if part["is_checked"] else ", which nobody checked against it"
    noise = f"{visible(part['mechanism'].replace('_', ' '))} noise of scale {_short(part['scale'])}{checked}"
    return f"{listed(part['columns'])}{where}: {_cost(part)}, {noise}, {_reach(part)}"


def _reach(part: Mapping[str, Any]) -> str:
    if part["bounds"] is None:
        return f"for a sensitivity of {_short(part['reach'])}"
    low, high = map(Fraction, part["bounds"])
    between = f"{short_text(low)}..{short_text(high)}"
    if Fraction(part["reach"]) == high - low:
        return f"wherever the value lies in {between}"
    return f"only against values at most {_short(part['reach'])} away in {between}"


def _cost(document: Mapping[str, Any]) -> str:
    return PrivacyCost(**{name: Fraction(document[name]) for name in ("epsilon", "delta", "rho")}).text


def _short(number: str) -> str:
    """Return an exact number as a reader takes it in; the document beside has all its digits."""
    text = short_text(Fraction(number))
    return f"about {float(Fraction(number)):.6g}" if text.startswith("about ") else text
