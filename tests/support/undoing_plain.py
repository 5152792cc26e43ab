"""The search for columns that undo, the long way: every support, width and pair, over single records."""

from itertools import combinations

import numpy as np

from qidguard.undoing import groups, order, pairs
from qidguard.undoing.gates import PRECISION, is_beyond_chance
from qidguard.undoing.persons import dense
from qidguard.undoing.told import Told
from qidguard.undoing.undoing import NOTED_TOLD


def told_of(target, at, guesses, way):
    """Return what guesses tell, every figure reckoned before chance is asked."""
    weights = target.weights[at]
    is_right = guesses == target.values[at]
    right, wrong = float(weights[is_right].sum()), float(weights[~is_right].sum())
    expected = float(weights @ target.unguessed(at, guesses))
    if not is_beyond_chance(right, wrong, expected):
        return None
    known = at[is_right & target.is_hidden[at]]
    told = float(target.weights[known].sum())
    return Told(way=way, right=told, precision=right / (right + wrong), known=known) if told else None


def told_by_values(target, codes):
    """Return what records of the same codes tell: the best of all supports, alone and beside P."""
    found = []
    for grouping in (codes, target.published * (int(codes.max(initial=0)) + 1) + codes):
        tally = groups.tally_of(target, grouping)
        sure = np.flatnonzero(target.is_open & (tally.certainty >= PRECISION))
        known = sure[target.is_hidden[sure] & (tally.guess[sure] == target.values[sure])]
        if target.weights[known].sum() < groups.LEAST * target.hidden:
            continue
        for support in groups.SUPPORTS:
            at = sure[tally.others[sure] >= support]
            found.append(told_of(target, at, tally.guess[at], "values"))
    return max((told for told in found if told), key=lambda told: told.right, default=None)


def told_by_order(target, ranks, generator):
    """Return what neighbors on both sides tell: the best of all widths."""
    one_each = order.one_a_person(target, generator)
    ordered = one_each[order._order(ranks[one_each], generator)]
    guess, width = order._agreeing(target.values[ordered])
    if len(ordered) < len(ranks):
        further = np.setdiff1d(np.flatnonzero(target.is_open), ordered)
        more_guess, more_width = order._between(target.values[ordered], ranks[ordered], ranks[further])
        ordered = np.concatenate([ordered, further])
        guess, width = np.concatenate([guess, more_guess]), np.concatenate([width, more_width])
    found = []
    for least in order.WIDTHS:
        chosen = target.is_open[ordered] & (width >= least)
        found.append(told_of(target, ordered[chosen], guess[chosen], "order"))
    return max((told for told in found if told), key=lambda told: told.right, default=None)


def most_told(target, grouping):
    """Return how many hidden records groups tell rightly, counted group by group in plain Python."""
    records = {}
    for group, value, hidden in zip(
        grouping.tolist(), target.values.tolist(), target.is_hidden.tolist(), strict=True
    ):
        cell = records.setdefault(group, {}).setdefault(value, [0, 0])
        cell[0] += 1
        cell[1] += hidden
    told = 0
    for cells in records.values():
        others = sum(count for count, _ in cells.values()) - 1
        told += sum(hidden for count, hidden in cells.values() if others and count - 1 >= PRECISION * others)
    return told


def may_tell(target, codes, size, floor):
    """Return whether groups may tell so many, beside P, and alone where P hardly repeats."""
    if most_told(target, target.published * size + codes) >= floor:
        return True
    return target.classes * groups.BROAD > len(codes) and most_told(target, codes) >= floor


def pairs_that_tell(target, small, partners, generator):
    """Yield the pairs that tell, one tried after the other."""
    for first, second in combinations(partners, 2):
        better = max(first.told, second.told)
        floor = max(NOTED_TOLD, better + pairs.GAIN) * target.hidden
        joint, size = first.codes * second.size + second.codes, first.size * second.size
        few = len(small.values)
        if few < len(joint):
            share = pairs.SLACK * pairs._met(few, len(joint), size) * floor / max(target.hidden, 1.0)
            if not may_tell(small, joint[:few], size, share * small.hidden):
                continue
        if not may_tell(target, joint, size, floor) or dense(joint)[1] > len(joint) / 2:
            continue
        told = told_share(target, joint, size)
        if told < better + pairs.GAIN or told < NOTED_TOLD:
            continue
        shuffled = max(
            told_share(target, first.codes * second.size + generator.permutation(second.codes), size),
            told_share(target, generator.permutation(first.codes) * second.size + second.codes, size),
        )
        if told >= shuffled + pairs.GAIN:
            yield told, first, second


def told_share(target, codes, size):
    """Return T of groups."""
    if not may_tell(target, codes, size, NOTED_TOLD * target.hidden):
        return 0.0
    told = told_by_values(target, codes)
    return told.right / target.hidden if told else 0.0
