"""The paper's evaluation of any table: the commands ``evaluate``, ``risk``, ``models`` and ``sweep``."""

from typing import TYPE_CHECKING, Any

import click

from qidguard.sdk import listed_names
from qidguard_hybrid_dp.commands.options import Option, TriedRoles, choices, fractions, tried_command
from qidguard_learning import LearningDesign

if TYPE_CHECKING:
    from qidguard_hybrid_dp.evaluation.evaluation import TableEvaluation
    from qidguard_hybrid_dp.evaluation.models import ModelStudy
    from qidguard_hybrid_dp.evaluation.risk_report import RiskStudy
    from qidguard_hybrid_dp.evaluation.sweep import Sweep


def _targets(meaning: str) -> Option:
    count = click.IntRange(min=2)
    return click.option("--targets", type=count, metavar="N", default=1500, show_default=True, help=meaning)


@tried_command(
    "evaluate",
    click.option(
        "--printed",
        metavar="NAME",
        type=click.Choice(["adult"]),
        help="Show the paper's figures beside, where this is its table: adult.",
    ),
)
def evaluate_command(data: str, roles: TriedRoles, *, printed: str | None, **given: Any) -> "TableEvaluation":
    """Tell what the scheme keeps, loses and costs on the table DATA, beside plain k-anonymity.

    Originality, information loss in each part, statistics, minorities and time (Table III, Fig. 11 to
    18). Noise is drawn by the seed. Nothing of the table is written.
    """
    from qidguard_hybrid_dp.evaluation.calls import evaluate

    return evaluate(data, roles.qids, roles.sensitive, printed=printed is not None, **given)


@tried_command(
    "risk",
    _targets("Persons who are looked for, and as many who are left out of the release."),
)
def risk_command(data: str, roles: TriedRoles, **given: Any) -> "RiskStudy":
    """Tell what the scheme gives away of people in the table DATA, beside plain k-anonymity.

    Mean posteriors of a target's own record and sensitive value, for an attacker who knows scales and
    partition rule, and of the quasi-identifiers some or all. Each record counts as a person. Noise is
    drawn by the seed. Nothing of the table is written.
    """
    from qidguard_hybrid_dp.evaluation.calls import risk

    return risk(data, roles.qids, roles.sensitive, **given)


@tried_command(
    "models",
    click.option(
        "--models",
        metavar="A,B,...",
        default="random_forest,logistic_regression",
        show_default=True,
        help="The models.",
    ),
    click.option(
        "--splits", type=click.IntRange(min=2), metavar="N", default=10, show_default=True, help="Splits."
    ),
    click.option(
        "--learn-from",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="Records in a split at most; 0 takes all.",
    ),
)
def models_command(
    data: str, roles: TriedRoles, *, models: str, splits: int, learn_from: int, **given: Any
) -> "ModelStudy":
    """Tell how accurate models are that learned from published tables of DATA (Table VII, Fig. 13).

    They predict original records that they have not seen; without --target the first sensitive attribute,
    as the paper does. Nothing of the table is written.
    """
    from qidguard_hybrid_dp.evaluation.calls import models as compared

    given["learners"] = listed_names(models, "--models")
    given["design"] = LearningDesign(repeats=splits, sample=learn_from)
    return compared(data, roles.qids, roles.sensitive, roles.target or roles.sensitive[0], **given)


@tried_command(
    "sweep",
    click.option(
        "--k", type=click.IntRange(min=2), metavar="K", default=5, show_default=True, help="Smallest class."
    ),
    click.option(
        "--epsilon", metavar="E,...", default="0.01,0.1,1,5,10", show_default=True, help="ε of each number."
    ),
    click.option("--scale", metavar="A,B", default="range,unit", show_default=True, help="Scales of noise."),
    click.option(
        "--cluster",
        type=click.Choice(["both", "violating"]),
        default="both",
        show_default=True,
        help="Which part is clustered.",
    ),
    _targets("Persons who are looked for."),
    has_methods=False,
)
def sweep_command(data: str, roles: TriedRoles, *, epsilon: str, scale: str, **given: Any) -> "Sweep":
    """Sweep ε over the table DATA: distributions, loss of numbers, disclosure (Fig. 16, 17).

    The clusters stay, for they depend on no number; both parts get the same ε. Noise is drawn by the
    seed. Nothing of the table is written.
    """
    from qidguard_hybrid_dp.evaluation.calls import sweep

    given["epsilons"] = fractions(epsilon, "--epsilon")
    given["scales"] = choices(scale, "--scale", ("range", "unit"))
    return sweep(data, roles.qids, roles.sensitive, **given)


COMMANDS = (evaluate_command, risk_command, models_command, sweep_command)
