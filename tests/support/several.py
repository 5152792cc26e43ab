"""An anonymizer with several solutions: blocks of sorted records of some sizes, each a solution."""

from dataclasses import replace

import pandas as pd

from conforming import Blocks
from qidguard.sdk import Direction, NotMeasurable, Parameter, Solution, SolutionFigure, Solutions

LOSS = SolutionFigure(name="information_loss", title="information loss", direction=Direction.LOWER_IS_SAFER)
SIZE = SolutionFigure(name="block", title="persons in a block", direction=Direction.HIGHER_IS_SAFER)


MARK = 700_000


def table() -> pd.DataFrame:
    """Return 24 persons, each with an age of its own, and two illnesses in no order."""
    illness = [f"{MARK}{'xy'[i // 5 % 2]}" for i in range(24)]
    return pd.DataFrame({"age": [MARK + 3 * i for i in range(24)], "illness": illness})


def policy(k=5, **remedy):
    """Return a policy on classes of ages."""
    return {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["age"], "sensitive": ["illness"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": k}],
        "remedy": {"anonymizer": "many_blocks[k=2, sizes=6]", **remedy},
    }


class ManyBlocks(Blocks):
    """Blocks of two sizes and more; its claims of loss are all 0, so that only what is measured tells."""

    name = "many_blocks"
    title = "blocks of several sizes"
    parameters = (
        Parameter(name="k", type=int, default=0, minimum=0, meaning="smallest block, persons"),
        Parameter(name="sizes", type=int, default=3, minimum=1, meaning="sizes that are tried"),
    )

    def anonymize(self, records, arguments, task):
        """Return the solutions; the one with the smallest blocks is its own choice."""
        k = arguments["k"] or 3
        if not task.wants_several:
            return super().anonymize(records, {"k": k}, task)
        found = []
        for size in (k * (step + 1) for step in range(arguments["sizes"])):
            try:
                done = super().anonymize(records, {"k": size}, task)
            except NotMeasurable:
                if not found:
                    raise
                break
            done = replace(done, guarantees=self.claims(k, task))
            figures = {"information_loss": 0.0, "block": float(size)}
            found.append(Solution(label=f"size={size}", anonymized=done, figures=figures))
        return Solutions(solutions=tuple(found), chosen=0, figures=(LOSS, SIZE))
