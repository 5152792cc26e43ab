"""``qidguard hybrid_dp models``: how accurate models are that learned from what is published."""

from typing import TYPE_CHECKING

import click

from qidguard.sdk import listed_names, output_options, reading_options, seed_option
from qidguard_hybrid_dp.commands.tried import TriedRoles, method_options, role_options
from qidguard_hybrid_dp.commands.typed import whole_numbers
from qidguard_learning import LearningDesign

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput
    from qidguard_hybrid_dp.evaluation.plan import Methods


def models_command() -> click.Command:
    """Return the command."""

    @click.command("models")
    @role_options
    @click.option("--k", metavar="K,...", default="5,10,20,50,100", show_default=True, help="Classes.")
    @method_options
    @click.option(
        "--models",
        metavar="A,B,...",
        default="random_forest,logistic_regression",
        show_default=True,
        help="The models.",
    )
    @click.option(
        "--splits", type=click.IntRange(min=2), metavar="N", default=10, show_default=True, help="Splits."
    )
    @click.option(
        "--learn-from",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="Records in a split at most; 0 takes all.",
    )
    @seed_option
    @reading_options
    @output_options
    def models(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        roles: TriedRoles,
        k: str,
        methods: "Methods",
        models: str,
        splits: int,
        learn_from: int,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Tell how accurate models are that learned from published tables of DATA (Table VII, Fig. 13).

        They predict original records that they have not seen; without --target the first sensitive attribute,
        as the paper does. Nothing of the table is written.
        """
        from qidguard_hybrid_dp.evaluation.calls import models as compared

        with output.progress() as progress:
            found = compared(
                data,
                roles.qids,
                roles.sensitive,
                roles.target or roles.sensitive[0],
                k=whole_numbers(k, "--k"),
                methods=methods,
                learners=listed_names(models, "--models"),
                design=LearningDesign(repeats=splits, sample=learn_from),
                seed=seed,
                read=reading.options(roles.policy),
                settings=reading.settings(roles.policy),
                progress=progress,
                **roles.given,
            )
        output.show(*found.tables(), text=found.headline, plots=found.plots() if output.plots else {})
        return 0

    return models
