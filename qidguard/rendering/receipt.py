"""A receipt in a few lines: what a method did, what it claims, what was measured, and what attacks found."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from qidguard.core.exact import short_text
from qidguard.core.parameter import shown
from qidguard.core.privacy import PrivacyCost
from qidguard.core.verdict import Bound, Limit
from qidguard.rendering.figure import counted, figure, figure_words, short_share
from qidguard.rendering.printable import listed, shown_name, visible
from qidguard.rendering.threshold import demand

_MOST = 12
"""Lines of one kind that are written out."""

_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"))


def receipt_lines(receipt: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a receipt."""
    yield _headline(receipt)
    if receipt.get("is_always"):
        yield "applied to every release, also where the policy holds already"
    before, gone = receipt["records_before"], receipt.get("records_suppressed")
    if receipt.get("new_table"):
        yield from new_table_lines(receipt)
        return
    if gone is None:  # of a record that was written before receipts told it
        gone = before - receipt["records_after"]
    yield f"{gone:,} of {counted(before, 'records')} suppressed"
    behalf = {name: count for name, count in receipt["suppressed_by"].items() if count}
    if len(behalf) > 1:
        yield from _cut(f"  on behalf of {visible(name)}: {count:,}" for name, count in behalf.items())
    if receipt.get("privacy"):
        yield from privacy_lines(receipt["privacy"])
        yield from charge_lines(receipt["privacy"], is_rehearsal=bool(receipt.get("is_rehearsal")))
    dropped = receipt.get("columns_dropped", ())
    cells = {name: count for name, count in receipt.get("cells_changed", {}).items() if name not in dropped}
    yield from _cells(cells, before - gone)
    if dropped:
        yield f"not published: {listed(dropped)}"
    yield from _cut(f"warning: {visible(warning)}" for warning in receipt.get("warnings", ()))
    if receipt.get("choice"):
        yield from choice_lines(receipt["choice"])
    yield from _cut(map(claim_line, receipt.get("guarantees", ())))
    for attack in receipt.get("attacks", ()):
        yield f"attack {visible(attack['attack'])}: {visible(attack['sentence'])}"
    yield from _cut(f"note: {visible(note)}" for note in receipt.get("notes", ()))


def new_table_lines(receipt: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a method made in the place of the source's records, and what of those it gave back."""
    before, after = counted(receipt["records_before"], "records"), receipt["records_after"]
    yield f"a new table of {counted(after, 'records')} in the place of {before} of the source"
    yield receipt["new_table"]["sentence"]
    for found in receipt.get("reproduced", ()):
        alone = found["by_class_size"][0]
        yield (
            f"{found['equal']:,} of {found['new_records']:,} new records"
            f" ({short_share(found['share'])}) equal one of the source on {found['over']}; of"
            f" {alone['records']:,} that are alone there, {alone['reproduced']:,} came back"
        )
    if receipt.get("privacy"):
        yield from privacy_lines(receipt["privacy"])
        yield from charge_lines(receipt["privacy"], is_rehearsal=bool(receipt.get("is_rehearsal")))
    yield from _cut(map(claim_line, receipt.get("guarantees", ())))
    yield from _cut(f"note: {visible(note)}" for note in receipt.get("notes", ()))


def _headline(receipt: Mapping[str, Any]) -> str:
    taken = receipt.get("limits_taken", {})
    told = {name: shown(value) for name, value in receipt["arguments"].items()}
    told |= {name: f"{limits} by the policy" for name, limits in taken.items()}
    arguments = ", ".join(f"{name}={text}" for name, text in told.items() if taken.get(name) != "")
    title = f", {visible(receipt['title'])}" if receipt.get("title") else ""
    name = receipt.get("anonymizer") or receipt["anonymiser"]  # as 0.1.0 spelled it
    words = f"{visible(name)}{title}" + (f" ({visible(arguments)})" if arguments else "")
    if receipt.get("seconds") is None:
        return words
    seconds, memory = receipt["seconds"], receipt["peak_bytes"]
    spent = f"{figure(seconds, 's') if seconds >= 0.01 else '<0.01'} s"  # noqa: PLR2004 - hundredths
    return f"{words}: {spent}" + ("" if memory is None else f", {_size(memory)}")


def _size(count: int) -> str:
    return next((f"{count / size:,.0f} {word}" for size, word in _SIZES if count >= size), f"{count} bytes")


def _cells(changed: Mapping[str, int], records: int) -> Iterator[str]:
    left = [name for name, cells in changed.items() if not cells]
    for name, cells in changed.items():
        if cells:
            share = f" ({short_share(cells / records)})" if records else ""
            yield f"{shown_name(name)}: {counted(cells, 'cells')} changed{share}"
    if left:
        yield f"{listed(left)}: no cell changed"


def claim_line(claim: Mapping[str, Any]) -> str:
    """Return one claim beside what was measured."""
    limit = Limit(bound=Bound(claim["bound"]), value=claim["limit"])
    of = "" if claim["sensitive"] is None else f" of {shown_name(claim['sensitive'])}"
    what = visible(claim["title"] or claim["metric"])
    asked = f"claims {what}{of} {demand(limit, claim['unit'])} over {listed(claim['qids'])}"
    if claim["measured"] is None:
        return f"{asked}: not measured ({visible(claim['reason']).rstrip('. ')})"
    measured = figure_words(claim["measured"], claim["unit"])
    return f"{asked}: {'kept' if claim['is_kept'] else 'NOT KEPT'}, it is {measured}"


def choice_lines(choice: Mapping[str, Any]) -> Iterator[str]:
    """Yield which of several solutions was chosen and why, then a line for each with its figures."""
    solutions = choice["solutions"]
    count = counted(len(solutions), "solutions")
    yield f"chosen of {count}: {visible(choice['chosen'])}. {visible(choice['why'])}"
    yield from _cut(f"  {solution_line(choice, one)}" for one in solutions)


def solution_line(choice: Mapping[str, Any], solution: Mapping[str, Any]) -> str:
    """Return one solution: its figures as measured, what it claims otherwise, and whether it will do."""
    told = []
    for one in choice["measured"]:
        value = solution["measured"][one["name"]]
        measured = figure_words(value, one["unit"])
        claimed = solution["claimed"].get(one["name"])
        differs = claimed is not None and value is not None and not math.isclose(claimed, value, rel_tol=1e-6)
        words = f" (claims {figure(claimed, one['unit'])})" if differs else ""
        told.append(f"{visible(one['name'])} {measured}{words}")
    names = {one["name"] for one in choice["measured"]}
    told += [
        f"claims {visible(one['name'])} {solution['claimed'][one['name']]:.4g}"
        for one in choice["claimed"]
        if one["name"] not in names
    ]
    return f"{visible(solution['label'])}: {', '.join([*told, *states(solution)])}"


def states(solution: Mapping[str, Any]) -> Iterator[str]:
    """Yield in words whether a solution meets the policy, is the knee, and is the chosen one."""
    if solution["meets_policy"] is not None:
        missed = counted(solution["limits_missed"], "limits")
        yield "meets the policy" if solution["meets_policy"] else f"misses {missed}"
    yield from (word for word, key in (("knee", "is_knee"), ("chosen", "is_chosen")) if solution[key])


def _cut(every_line: Iterator[str]) -> Iterator[str]:
    lines = list(every_line)
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"  and {len(lines) - _MOST:,} more"


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
