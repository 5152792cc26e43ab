"""What the columns of a published release tell, as its record knows it, under today's policy."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qidguard.auditing.telling import RULE
from qidguard.core.verdict import Block
from qidguard.rendering.undone import together

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand
    from qidguard.policy import Policy


def undone_then(policy: "Policy", asked: "Sequence[Demand]", record: Mapping[str, Any]) -> list[Block]:
    """Return a block for each pair that undid a generalization and that today's policy does not accept.

    The original is not kept, so the figures over what can be read back are those of the release's record. A
    record from before they were measured has none.
    """
    then = record["risk_after"]
    told = [undone for undone in then.get("undone", ()) if undone["is_undone"]]
    open_now = [u for u in told if policy.acceptance_of(tuple(u["columns"]), u["qid"]) is None]
    figures = [figure for read in then.get("read_backs", ()) for figure in read["thresholds"]]
    if not open_now or not any(_misses(demand, figures) for demand in asked if demand.limit.is_blocking):
        return []
    return [
        Block(
            rule=RULE,
            sentence=(
                f"{together(undone['columns'])} {'tells' if len(undone['columns']) == 1 else 'tell'} the"
                f" original {together([undone['qid']])} of this release, and today's policy does not accept"
                " it: read back, a limit is missed; accept it in words, or withdraw the release."
            ),
        )
        for undone in open_now
    ]


def _misses(demand: "Demand", figures: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the figure of the same question was one that today's limit does not hold."""
    question = demand.question
    arguments = json.dumps(dict(question.arguments), sort_keys=True)
    return any(
        not demand.limit.is_met_by(figure["value"])
        for figure in figures
        if figure["metric"] == question.metric.name
        and figure["sensitive"] == question.attribute
        and json.dumps(figure["arguments"], sort_keys=True) == arguments
    )
