"""``qidguard mo_obam grid`` and ``tune``: many settings weighed in memory, and the front among them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qidguard.sdk import UserError, listed_names, output_options, reading_options, seed_option
from qidguard_learning import LearningDesign
from qidguard_mo_obam.commands.command import INTERRUPTED
from qidguard_mo_obam.commands.listed import clusters, decimals, whole_numbers
from qidguard_mo_obam.commands.roles import StudyRoles, role_options

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput
    from qidguard_mo_obam.evaluation.study import Study

_MODEL_OPTIONS = (
    click.option(
        "--models",
        metavar="A,B,...",
        help="Models whose mean F1 is an objective, too.  [default: decision_tree, where there is a target]",
    ),
    click.option(
        "--splits",
        type=click.IntRange(min=1),
        metavar="N",
        default=10,
        show_default=True,
        help="Splits behind each F1.",
    ),
    click.option("--positive", metavar="VALUE", help="Score the F1 of this class.  [default: macro F1]"),
)


@dataclass(frozen=True, kw_only=True)
class _Models:
    """The models behind F1, as they were typed, and how they are tried."""

    typed: str | None
    design: LearningDesign

    def of(self, roles: StudyRoles) -> tuple[str, ...]:
        """Return their names; a tree where there is a target and nobody named any."""
        if self.typed is None:
            return () if roles.target is None else ("decision_tree",)
        return listed_names(self.typed, "--models")


def _model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the models behind F1, as one ``models``."""

    @wraps(command)
    def with_models(**given: Any) -> Any:
        design = LearningDesign(repeats=given.pop("splits"), positive=given.pop("positive"))
        return command(models=_Models(typed=given.pop("models"), design=design), **given)

    for option in reversed(_MODEL_OPTIONS):
        with_models = option(with_models)
    return with_models


def grid_command() -> click.Command:
    """Return the command of the grid."""

    @click.command("grid")
    @role_options
    @click.option("--k", metavar="K,...", default="5", show_default=True, help="Smallest classes.")
    @click.option("--n-c", metavar="N,...", default="4-30", show_default=True, help="Numbers of clusters.")
    @click.option(
        "--lambda", "weights", metavar="W,...", default="1,.1,.01,.001,.0001", show_default=True, help="λ."
    )
    @_model_options
    @seed_option
    @reading_options
    @output_options
    def grid(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        roles: StudyRoles,
        k: str,
        n_c: str,
        weights: str,
        models: _Models,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Weigh MO-OBAM on the table DATA over n_C, λ and k: heat maps (Fig. 2), the front and its knee.

        Nothing of the table is written.
        """
        from qidguard_mo_obam.evaluation.grid import weigh_grid_in

        with output.progress() as progress:
            found = weigh_grid_in(
                roles.case(data, reading, seed, whole=bool(models.of(roles))),
                k=whole_numbers(k, "--k"),
                n_c=clusters(n_c, "--n-c"),
                weights=decimals(weights, "--lambda"),
                models=models.of(roles),
                design=models.design,
                left_out=roles.left_out,
                progress=progress,
            )
        return _shown(found, output)

    return grid


def tune_command() -> click.Command:
    """Return the command of the search."""

    @click.command("tune")
    @role_options
    @click.option("--k", metavar="FROM-TO", default="5-20", show_default=True, help="Smallest classes.")
    @click.option("--n-c", metavar="FROM-TO", default="4-30", show_default=True, help="Clusters.")
    @click.option("--lambda", "weights", metavar="FROM,TO", default=".0001,1", show_default=True, help="λ.")
    @click.option(
        "--trials",
        type=click.IntRange(min=1),
        metavar="N",
        default=100,
        show_default=True,
        help="Settings that are asked for.",
    )
    @_model_options
    @seed_option
    @reading_options
    @output_options
    def tune(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        roles: StudyRoles,
        k: str,
        n_c: str,
        weights: str,
        trials: int,
        models: _Models,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Search n_C, λ and k for the table DATA by NSGA-II; show the front and its knee.

        Needs Optuna (qidguard-mo-obam[tune]). Nothing of the table is written.
        """
        from qidguard_mo_obam.evaluation.tuning import tune_in

        with output.progress() as progress:
            found = tune_in(
                roles.case(data, reading, seed, whole=bool(models.of(roles))),
                k=_range(whole_numbers(k, "--k"), "--k"),
                n_c=_range(whole_numbers(n_c, "--n-c"), "--n-c"),
                weights=_range(decimals(weights, "--lambda"), "--lambda"),
                trials=trials,
                models=models.of(roles),
                design=models.design,
                left_out=roles.left_out,
                progress=progress,
            )
        return _shown(found, output)

    return tune


_Number = TypeVar("_Number", int, float)


def _range(given: tuple[_Number, ...], option: str) -> tuple[_Number, _Number]:
    if list(given) != sorted(given):
        raise UserError(f"{option} goes from the least to the largest")
    return given[0], given[-1]


def _shown(found: "Study", output: "ResultOutput") -> int:
    plots = found.plots() if output.plots is not None and found.measured else {}
    output.show(*found.tables(), text=found.headline, plots=plots)
    return INTERRUPTED if found.is_interrupted else 0
