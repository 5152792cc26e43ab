"""Larger moves: clusters are closed, split and gathered anew, or all of it is taken back."""

import numpy as np

from qidguard_mo_obam.moves.compiled import compiled_within
from qidguard_mo_obam.moves.state import (
    CLUSTER,
    COMBINATION,
    FIRST,
    LOSS,
    NEXT,
    NULL_COST,
    PERSONS,
    RECORDS,
    UNITS,
    WEIGHT,
    Given,
    State,
    loss_with,
    put,
    weigh,
)
from qidguard_mo_obam.moves.work import MoveWork, Rule, below, close, cost, draw, find_low


@compiled_within
def _best_for(given: Given, state: State, u: int, is_wide: int) -> int:
    """Return the other cluster that it costs a unit least to join, near it or of all; −1 without one."""
    at, records, best, least = given.units[u, COMBINATION], given.units[u, RECORDS], -1, np.inf
    c = state.links[u, CLUSTER]
    for j in range(len(state.sizes) if is_wide else given.near.shape[1]):
        first, end = j, j + 1
        if not is_wide:
            near = given.near[at, j]
            if near < 0:
                break
            first, end = given.unit_start[near], given.unit_start[near + 1]
        for i in range(first, end):
            d = i if is_wide else state.links[given.unit_of[i], CLUSTER]
            if d not in (c, best) and state.sizes[d, UNITS] > 0:
                more = loss_with(given, state, d, u, records) - state.worth[d, LOSS]
                if more < least:
                    best, least = d, more
    return best


@compiled_within
def _apart(given: Given, a: int, b: int) -> float:
    """Return the squared distance of two combinations, as the loss counts it."""
    total = 0.0
    for q in range(len(given.numeric)):
        x, y = given.numbers[a, q], given.numbers[b, q]
        if np.isnan(x) or np.isnan(y):
            if np.isnan(x) != np.isnan(y):
                total += given.numeric[q, WEIGHT] * given.numeric[q, NULL_COST]
        else:
            total += given.numeric[q, WEIGHT] * (x - y) ** 2
    for j in range(len(given.code_weight)):
        if given.codes[a, j] != given.codes[b, j]:
            total += given.code_weight[j]
    return total


@compiled_within
def _plan_gather(given: Given, state: State, work: MoveWork, u: int) -> int:
    """Plan a cluster of a unit and those near it that their clusters can spare; return how many move."""
    at, n, persons = given.units[u, COMBINATION], 1, given.units[u, PERSONS]
    work.planned[0] = u
    for j in range(given.near.shape[1]):
        near = given.near[at, j]
        if near < 0:
            break
        for i in range(given.unit_start[near], given.unit_start[near + 1]):
            v = given.unit_of[i]
            if persons >= given.k or n >= len(state.links):
                return n
            if v != u and state.sizes[state.links[v, CLUSTER], PERSONS] - given.units[v, PERSONS] >= given.k:
                work.planned[n] = v
                persons += given.units[v, PERSONS]
                n += 1
    return n


@compiled_within
def _plan_split(given: Given, state: State, work: MoveWork, u: int) -> int:
    """Plan to cut off what is nearer to the unit that is farthest from this one; return how many move."""
    c, at = state.links[u, CLUSTER], given.units[u, COMBINATION]
    other, most, n = -1, 0.0, 0
    v = state.sizes[c, FIRST]
    while v >= 0:
        far = _apart(given, at, given.units[v, COMBINATION])
        if far > most:
            other, most = given.units[v, COMBINATION], far
        v = state.links[v, NEXT]
    v = state.sizes[c, FIRST]
    while v >= 0 and other >= 0:
        here = given.units[v, COMBINATION]
        if _apart(given, other, here) < _apart(given, at, here):
            work.planned[n] = v
            n += 1
        v = state.links[v, NEXT]
    return n


@compiled_within
def rebuild(  # noqa: C901, PLR0912 - as above
    given: Given, state: State, work: MoveWork, rule: Rule, u: int, most: float
) -> int:
    """Close the cluster of a unit, open one, or both; kept where the worth grows by no more than ``most``."""
    c, kind = state.links[u, CLUSTER], draw(work.random)
    closes = rule.is_closing or not rule.is_free or kind > 0.4  # noqa: PLR2004 - two parts of five
    opens = not rule.is_closing and (not rule.is_free or kind < 0.6)  # noqa: PLR2004 - the same
    grown, n, left, to, idle = 0.0, 0, 0, -1, work.idle[-1]
    while closes or opens or left > 0:
        if closes:
            u = state.sizes[c, FIRST]
            to = -1
            for is_wide in range(2 if rule.is_closing else 1):
                if to < 0:
                    to = _best_for(given, state, u, is_wide)
            if to < 0:
                grown = np.inf
                break
            if state.sizes[c, UNITS] == 1:
                closes = False
                close(work, c)
        else:
            if opens:
                opens = False
                left, to = _plan(given, state, work, u if n == 0 else below(work.random, len(state.links)))
            if left == 0:
                grown = np.inf
                break
            left -= 1
            u = work.planned[left]
        work.moved[n, 0], work.moved[n, 1] = u, state.links[u, CLUSTER]
        n += 1
        grown += _to(given, state, rule.price, u, to)
    if rule.gain != 0.0 and grown < np.inf:
        for s in range(len(work.low)):
            was = work.low[s, 0]
            find_low(state, work, s)
            grown -= rule.gain * (work.low[s, 0] - was)
    if grown <= most:
        return 1
    for i in range(n - 1, -1, -1):
        _to(given, state, rule.price, work.moved[i, 0], work.moved[i, 1])
    # what was closed or opened stands where it stood
    work.idle[-1] = idle
    for s in range(len(work.low) if rule.gain != 0.0 else 0):
        find_low(state, work, s)
    return 0


@compiled_within
def _plan(given: Given, state: State, work: MoveWork, u: int) -> tuple[int, int]:
    """Plan a new cluster; return how many units move, and its number."""
    e, last = -1, len(work.idle) - 1
    if state.sizes[state.links[u, CLUSTER], UNITS] == 1 or work.idle[last] == 0:
        return 0, e
    is_split = draw(work.random) < 0.5  # noqa: PLR2004 - either
    n = _plan_split(given, state, work, u) if is_split else _plan_gather(given, state, work, u)
    work.idle[last] -= 1
    return n, work.idle[work.idle[last]]


@compiled_within
def _to(given: Given, state: State, price: float, u: int, d: int) -> float:
    """Move a unit; return what the worth grew by, entropies left out."""
    c = state.links[u, CLUSTER]
    before = cost(state, price, c, d)
    put(given, state, u, d)
    for e in (c, d):
        weigh(given, state, e)
    return cost(state, price, c, d) - before
