"""``qidguard mo_obam models``: the paper's Table VII of any table."""

from typing import TYPE_CHECKING, Literal

import click

from qidguard.sdk import listed_names, output_options, reading_options, seed_option
from qidguard_learning import MODELS, LearningDesign
from qidguard_mo_obam.commands.plan import plan_options
from qidguard_mo_obam.commands.roles import StudyRoles, role_options

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput
    from qidguard_mo_obam.evaluation.evaluation import Plan


def models_command() -> click.Command:
    """Return the command."""

    @click.command("models")
    @role_options
    @plan_options(n_c="30", methods="mo_obam")
    @click.option(
        "--models", metavar="A,B,...", default=",".join(MODELS), help="The models.  [default: all six]"
    )
    @click.option(
        "--splits", type=click.IntRange(min=2), metavar="N", default=100, show_default=True, help="Splits."
    )
    @click.option(
        "--sample",
        type=click.IntRange(min=0),
        metavar="N",
        default=3000,
        show_default=True,
        help="Records in a split at most; 0 takes all.",
    )
    @click.option("--positive", metavar="VALUE", help="Score the F1 of this class.  [default: macro F1]")
    @click.option(
        "--tested-on",
        type=click.Choice(["original", "published"]),
        default="published",
        show_default=True,
        help="Predict records as they were, or as the paper does, as the table has them.",
    )
    @seed_option
    @reading_options
    @output_options
    def models(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        roles: StudyRoles,
        plan: "Plan",
        models: str,
        splits: int,
        sample: int,
        positive: str | None,
        tested_on: Literal["original", "published"],
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Find which models change significantly on the published table DATA (Table VII).

        Each model learns from the original and from each published table on the same splits; Mann and
        Whitney's U test compares the F1 scores. Nothing of the table is written.
        """
        from qidguard_mo_obam.evaluation.models import compare_models_in

        design = LearningDesign(repeats=splits, sample=sample, positive=positive, tested_on=tested_on)
        with output.progress() as progress:
            found = compare_models_in(
                roles.case(data, reading, seed, whole=True),
                plan,
                models=listed_names(models, "--models"),
                design=design,
                left_out=roles.left_out,
                progress=progress,
            )
        output.show(*found.tables(), text=found.headline, plots=found.plots() if output.plots else {})
        return 0

    return models
