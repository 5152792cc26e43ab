"""Moves of units between clusters, each kept or taken back by what it changes."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.moves.compiled import compiled, compiled_within
from qidguard_mo_obam.moves.rebuilding import rebuild
from qidguard_mo_obam.moves.state import (
    CLUSTER,
    COMBINATION,
    FIRST,
    LACK,
    NEXT,
    PERSONS,
    RECORDS,
    UNITS,
    Given,
    State,
    loss_with,
    put,
    weigh,
)
from qidguard_mo_obam.moves.work import MoveWork, Rule, below, close, cost, draw, low_after, refresh

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled_within
def _shift(  # noqa: C901, PLR0912 - what it tries and takes back is compiled once
    given: Given, state: State, work: MoveWork, rule: Rule, units: tuple[int, int], to: int, most: float
) -> int:
    """Move a unit to another cluster, and one ≥ 0 back, where the worth grows by no more than ``most``."""
    u = units[0]
    c = state.links[u, CLUSTER]
    before, records = cost(state, rule.price, c, to), given.units[u, RECORDS]
    if units[1] < 0:
        if state.sizes[c, UNITS] == 1 and not rule.is_free:
            return 0
        if rule.gain == 0.0:
            # no more than this much can be won: what cannot be kept is not even tried
            bound = -before
            for e in (c, to):
                bound += loss_with(given, state, e, u, records if e == to else -records)
            left = state.sizes[c, PERSONS] - given.units[u, PERSONS]
            if left < given.k and state.sizes[c, UNITS] > 1:
                bound += rule.price * (1.0 - left / given.k)
            if bound > most:
                return 0
    here, there = c, to
    for turn in range(2):
        for v in units:
            if v >= 0:
                put(given, state, v, there if v == u else here)
        for e in (c, to):
            weigh(given, state, e)
        if turn == 0:
            grown = cost(state, rule.price, c, to) - before
            if rule.gain != 0.0:
                grown -= rule.gain * low_after(state, work, c, to)
            if grown <= most:
                if state.sizes[c, UNITS] == 0:
                    close(work, c)
                return 1
        here, there = to, c
    if rule.gain != 0.0:
        for s in range(len(work.low)):
            work.low[s, 0], work.low[s, 1] = work.low[s, 2], work.low[s, 3]
    return 0


@compiled_within
def _smallest_lacking(state: State, floor: int, after: int) -> tuple[int, int]:
    """Return a cluster that misses a limit, and its persons: the next of at most so many, else the smallest.

    Closing makes clusters larger, so that those before the next need not be looked at again each time.
    """
    for c in range(after, len(state.sizes)):
        if state.worth[c, LACK] > 0.0 and state.sizes[c, PERSONS] <= floor:
            return c, floor
    worst = len(state.sizes)
    for c in range(len(state.sizes)):
        if state.worth[c, LACK] > 0.0 and (
            worst == len(state.sizes) or state.sizes[c, PERSONS] < state.sizes[worst, PERSONS]
        ):
            worst = c
    return worst, state.sizes[worst, PERSONS] if worst < len(state.sizes) else 0


@compiled
def work_on(  # noqa: C901, PLR0912 - one entry, compiled once
    given: Given,
    state: State,
    work: MoveWork,
    rule: Rule,
    start: "NDArray[np.int64]",
    moves: int,
    temperature: float,
) -> int:
    """Put units where ``start`` says, if it says so, and try so many moves; return how many were kept.

    Closing, the smallest cluster that misses a limit is dissolved until none does; −1 where even one cluster
    of all does. One entry for all of it, as compiling takes its time for each.
    """
    kept, random, worst, floor = 0, work.random, 0, -1
    for u in range(len(start)):
        put(given, state, u, start[u])
    if len(start) > 0:
        for c in range(len(state.sizes)):
            weigh(given, state, c)
        refresh(state, work)
    for _ in range(moves):
        u = below(random, len(state.links))
        kind, most = draw(random), -temperature * np.log(draw(random))
        if rule.is_closing:
            worst, floor = _smallest_lacking(state, floor, worst)
            if worst == len(state.sizes):
                return kept
            u, kind, most = state.sizes[worst, FIRST], -1.0, 1e300
        if kind < rule.rebuilds:
            done = rebuild(given, state, work, rule, u, most)
            if done == 0 and rule.is_closing:
                return -1
            kept += done
            continue
        near = given.near[given.units[u, COMBINATION], below(random, given.near.shape[1])]
        if near < 0:
            continue
        first = given.unit_start[near]
        w = given.unit_of[first + below(random, given.unit_start[near + 1] - first)]
        if draw(random) < rule.wide:
            w = below(random, len(state.links))
        to = state.links[w, CLUSTER]
        if to == state.links[u, CLUSTER]:
            continue
        w = -1
        if kind < rule.rebuilds + rule.swaps:
            w = state.sizes[to, FIRST]
            for _step in range(below(random, state.sizes[to, UNITS])):
                w = state.links[w, NEXT]
        kept += _shift(given, state, work, rule, (u, w), to, most)
    return kept
