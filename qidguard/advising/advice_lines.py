"""Advice in twelve lines of a screen at most: whom columns expose, the cheapest change, and others."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from qidguard.rendering.figure import counted, short_share
from qidguard.rendering.isolated import by_release, helping_sentences, isolated_sentence
from qidguard.rendering.printable import shown_name, visible

if TYPE_CHECKING:
    from qidguard.advising.advice import Advice, Change, Coarser, Exposed, ForSeries
    from qidguard.advising.asking import TriedAdvice

MOST_LINES: Final = 12
"""Lines of a screen that advice takes at most."""
PLAIN_WIDTH: Final = 100
"""Width of advice that is written to a file, or kept, in characters."""
TITLE: Final = "What would make it pass"
_MOST_WORDS: Final = 3
"""Lines that a reason why there is no change takes at most."""
_LEAST_OVER_TIME: Final = 8
"""Lines on whom releases isolate, and what helps, that stand over a change in any case."""
_MOST_HELPING: Final = 4
"""Lines that say what helps those whom releases isolate, and as many on what keeps a series."""


def advice_lines(advice: "Advice", width: int) -> list[str]:
    """Return advice as lines, each at most so many characters wide, but for lines of policy.

    Args:
        advice: The advice.
        width: Characters a line.

    Returns:
        At most twelve lines. Those of policy begin in the first column, so that they may be pasted; where
        they alone take more than there is room for, they are left to the JSON document.

    Example:
        >>> from qidguard.advising.advice import Advice
        >>> nothing = Advice(combination="default", qids=("age",), person="records", persons=4, limit=2)
        >>> advice_lines(nothing, 80)
        ['What would make it pass', '  No change was found that passes.']
    """
    head = [TITLE, *_isolated(advice, width), *_exposed(advice, width)]
    if not advice.changes:
        return [*head, *_hindered(advice, width)][:MOST_LINES]
    best, *others = advice.changes
    made = [_cut(_cheapest(best, advice.person), width)]
    lines = [visible(line) for line in best.lines]
    # who is isolated is told in any case, since what helps them is mostly no change of levels
    least = 1 if advice.isolated is None else min(len(head), _LEAST_OVER_TIME)
    room = MOST_LINES - least - len(made)
    if len(lines) > room:
        lines = [_cut("  They are many: see changes in --format json.", width)]
    made += lines
    head = head[: max(least, MOST_LINES - len(made))]
    left = MOST_LINES - len(head) - len(made)
    told = (f"  Or, loss {short_share(one.loss)}: {_change(one)}" for one in others[: max(0, left)])
    return [*head, *made, *(_cut(line, width) for line in told)]


def tried_lines(tried: "TriedAdvice", width: int) -> list[str]:
    """Return advice as lines, or one line that says why there is none."""
    if tried.advice is not None:
        return advice_lines(tried.advice, width)
    return [_cut(visible(tried.fault), width)] if tried.fault else []


def short_sentence(tried: "TriedAdvice") -> str:
    """Return the first thing to know: the cheapest change that passes, or why there is none.

    Example:
        >>> from qidguard.advising.asking import TriedAdvice
        >>> short_sentence(TriedAdvice(fault="There is no advice: it was stopped."))
        'There is no advice: it was stopped.'
    """
    advice = tried.advice
    if advice is None:
        return visible(tried.fault)
    if advice.changes:
        best = advice.changes[0]
        return visible(f"It would pass with {_change(best)} (loss {short_share(best.loss)}).")
    if advice.isolated is not None:
        return visible(isolated_sentence(advice.isolated, advice.person))
    return visible(next(iter(advice.hindrances), "No change was found that passes."))


def _isolated(advice: "Advice", width: int) -> Iterator[str]:
    """Yield whom releases isolate, with which of them, and what helps."""
    found = advice.isolated
    if found is None:
        return
    yield from _wrapped(isolated_sentence(found, advice.person), width, 2)
    if line := _fitted("  By release ", by_release(found), width):
        yield line
    yield from _wrapped(" ".join(helping_sentences(found)), width, _MOST_HELPING)
    if advice.for_series is not None:
        yield from _wrapped(series_sentence(advice.for_series), width, _MOST_HELPING)


def series_sentence(told: "ForSeries") -> str:
    """Return what an anonymizer for a series does, and what it costs, or which command tells.

    Example:
        >>> from qidguard.advising.advice import ForSeries
        >>> series_sentence(ForSeries(anonymizers=("kept",)))
        'The remedy kept keeps a series from its first release on; qidguard series plan tells what it costs.'
    """
    names = " or ".join(told.anonymizers)
    if not told.is_tried:
        return (
            f"The remedy {names} keeps a series from its first release on; qidguard series plan tells what it"
            " costs."
        )
    cost = "" if told.ncp is None else f" at NCP {short_share(told.ncp)}"
    outcome = f"would pass{cost}" if told.is_passed else "would not do"
    notes = "; ".join(told.notes).removesuffix(".")
    if notes.startswith("The remedy "):  # it says itself why it cannot be done
        return f"{notes}."
    return f"The policy's remedy {names} {outcome}{f': {notes}' if notes else ''}."


def _exposed(advice: "Advice", width: int) -> Iterator[str]:
    if advice.below is None or (advice.isolated is not None and not advice.below):
        return
    asked = [f"k = {advice.limit:,}"] if advice.limit > 1 else []
    asked += [f"l = {least:,} of {shown_name(name)}" for name, least in advice.diversity]
    yield _cut(
        f"  {advice.below:,} of {advice.persons:,} {advice.person} ({short_share(advice.share_below)}),"
        f" {advice.alone:,} of them alone, are below {' or '.join(asked)}.",
        width,
    )
    without = (f"{_names(one)}: {one.below:,}" for one in advice.without)
    if line := _fitted("  Still below without ", without, width):
        yield line
    smallest = (f"{_names(one)}: {one.below:,}" for one in advice.smallest)
    if line := _fitted("  Few columns suffice: ", smallest, width):
        yield line


def _names(one: "Exposed") -> str:
    return " + ".join(shown_name(name) for name in one.columns)


def _hindered(advice: "Advice", width: int) -> Iterator[str]:
    reasons = advice.hindrances or ("No change was found that passes.",)
    for reason in reasons:
        yield from _wrapped(reason, width, _MOST_WORDS)


def _wrapped(sentence: str, width: int, most: int) -> Iterator[str]:
    lines = textwrap.wrap(visible(sentence), width=max(20, width - 2), break_long_words=True)
    if len(lines) > most:
        lines = [*lines[: most - 1], _cut(" ".join(lines[most - 1 :]), width - 2)]
    yield from (f"  {line}" for line in lines)


def _cheapest(change: "Change", person: str) -> str:
    """Return the line over the lines of policy, which say the rest."""
    left_out = f", {counted(change.left_out, person)} left out" if change.records_left_out else ""
    return f"  Cheapest that passes, loss {short_share(change.loss)}{left_out}; these lines of policy:"


def _change(change: "Change") -> str:
    parts = [_coarser(one) for one in change.columns]
    if change.records_left_out:
        parts.append(f"leave out {change.left_out:,}")
    return ", ".join(parts)


def _coarser(one: "Coarser") -> str:
    if one.level == "drop":
        return f"drop {shown_name(one.column)}"
    return f"{shown_name(one.column)} to level {one.level} of {one.coarsest}"


def _fitted(start: str, items: Iterable[str], width: int) -> str:
    """Return as many items as fit into a line; empty where there is none."""
    line = ""
    every: Sequence[str] = tuple(items)
    for at, item in enumerate(every):
        longer = f"{line}, {item}" if line else f"{start}{item}"
        ending = ", …" if at + 1 < len(every) else ""
        if line and len(longer) + len(ending) > width:
            return _cut(f"{line}, …", width)
        line = longer
    return _cut(line, width)


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: max(1, width - 1)]}…"
