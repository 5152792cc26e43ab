"""The commands of ``qidguard mo_obam``: the paper's Tables IV, V and VII and its Fig. 2 of any table."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qidguard.sdk import UserError, listed_names
from qidguard_learning import MODELS
from qidguard_mo_obam.commands.options import (
    Option,
    StudyTable,
    clusters,
    decimals,
    list_option,
    study_command,
    whole_numbers,
)
from qidguard_mo_obam.evaluation.printed import PRINTED

if TYPE_CHECKING:
    from qidguard.sdk import ResultOutput
    from qidguard_mo_obam.evaluation.study import Study

INTERRUPTED = 130
"""Exit code after Ctrl-C; what was done is shown."""


def _plan_options(*, n_c: str, methods: str) -> tuple[Option, ...]:
    """Return the options of what is tried."""
    return (
        list_option(whole_numbers, "--k", metavar="K,...", default="5,10,15,20", help="Smallest classes."),
        click.option("--l", metavar="L", type=int, default=2, show_default=True, help="Zheng's l."),
        list_option(clusters, "--n-c", metavar="N,...", default=n_c, help="Clusters of MO-OBAM."),
        list_option(decimals, "--lambda", "weights", metavar="W,...", default="0", help="λ of MO-OBAM."),
        list_option(listed_names, "--methods", metavar="A,B,...", default=methods, help="The anonymizers."),
    )


def _count_option(name: str, least: int, default: int, meaning: str) -> Option:
    return click.option(
        name,
        type=click.IntRange(min=least),
        metavar="N",
        default=default,
        show_default=True,
        help=meaning,
    )


_POSITIVE = click.option(
    "--positive", metavar="VALUE", help="Score the F1 of this class.  [default: macro F1]"
)
_F1_OPTIONS = (
    click.option(
        "--models",
        metavar="A,B,...",
        help="Models whose mean F1 is an objective, too.  [default: decision_tree, where there is a target]",
    ),
    _count_option("--splits", 1, 10, "Splits behind each F1."),
    _POSITIVE,
)


@study_command(
    "evaluate",
    *_plan_options(n_c="30,free", methods="mdav,zheng_l_diversity,mo_obam"),
    click.option(
        "--printed",
        metavar="NAME",
        type=click.Choice(tuple(PRINTED)),
        help="Show the paper's rows beside, where this is its table: german or adult.",
    ),
)
def evaluate_command(*, table: StudyTable, output: "ResultOutput", **asked: Any) -> int:
    """Compare methods on the table DATA: loss, people at risk of linkage, homogeneity (Tables IV and V).

    Each method is tried in memory. Nothing of the table is written.
    """
    from qidguard_mo_obam.evaluation.calls import evaluate

    with output.progress() as progress:
        found = evaluate(**table.asked, **asked, progress=progress)
    output.show(*found.tables(), text=found.headline)
    return INTERRUPTED if found.is_interrupted else 0


@study_command(
    "models",
    *_plan_options(n_c="30", methods="mo_obam"),
    click.option(
        "--models", metavar="A,B,...", default=",".join(MODELS), help="The models.  [default: all six]"
    ),
    _count_option("--splits", 2, 100, "Splits."),
    _count_option("--sample", 0, 3000, "Records in a split at most; 0 takes all."),
    _POSITIVE,
    click.option(
        "--tested-on",
        type=click.Choice(["original", "published"]),
        default="published",
        show_default=True,
        help="Predict records as they were, or as the paper does, as the table has them.",
    ),
)
def models_command(*, table: StudyTable, output: "ResultOutput", models: str, **asked: Any) -> int:
    """Find which models change significantly on the published table DATA (Table VII).

    Each model learns from the original and from each published table on the same splits; Mann and
    Whitney's U test compares the F1 scores. Nothing of the table is written.
    """
    from qidguard_mo_obam.evaluation.calls import changed_models

    with output.progress() as progress:
        found = changed_models(
            **table.asked,
            **asked,
            target=table.target,
            models=listed_names(models, "--models"),
            left_out=table.left_out,
            progress=progress,
        )
    output.show(*found.tables(), text=found.headline, plots=found.plots() if output.plots else {})
    return 0


@study_command(
    "grid",
    list_option(whole_numbers, "--k", metavar="K,...", default="5", help="Smallest classes."),
    list_option(clusters, "--n-c", metavar="N,...", default="4-30", help="Numbers of clusters."),
    list_option(decimals, "--lambda", "weights", metavar="W,...", default="1,.1,.01,.001,.0001", help="λ."),
    *_F1_OPTIONS,
)
def grid_command(*, table: StudyTable, output: "ResultOutput", models: str | None, **asked: Any) -> int:
    """Weigh MO-OBAM on the table DATA over n_C, λ and k: heat maps (Fig. 2), the front and its knee.

    Nothing of the table is written.
    """
    from qidguard_mo_obam.evaluation.studies import weigh_grid

    with output.progress() as progress:
        found = weigh_grid(**table.asked, **_f1(table, models), **asked, progress=progress)
    return _shown(found, output)


_Number = TypeVar("_Number", int, float)


def _range_of(
    read: Callable[[str, str], tuple[_Number, ...]],
) -> Callable[[str, str], tuple[_Number, _Number]]:
    """Return what reads the ends of a range from a list."""

    def ends(text: str, option: str) -> tuple[_Number, _Number]:
        given = read(text, option)
        if list(given) != sorted(given):
            raise UserError(f"{option} goes from the least to the largest")
        return given[0], given[-1]

    return ends


@study_command(
    "tune",
    list_option(_range_of(whole_numbers), "--k", metavar="FROM-TO", default="5-20", help="Smallest classes."),
    list_option(_range_of(whole_numbers), "--n-c", metavar="FROM-TO", default="4-30", help="Clusters."),
    list_option(_range_of(decimals), "--lambda", "weights", metavar="FROM,TO", default=".0001,1", help="λ."),
    _count_option("--trials", 1, 100, "Settings that are asked for."),
    *_F1_OPTIONS,
)
def tune_command(*, table: StudyTable, output: "ResultOutput", models: str | None, **asked: Any) -> int:
    """Search n_C, λ and k for the table DATA by NSGA-II; show the front and its knee.

    Needs Optuna (qidguard-mo-obam[tune]). Nothing of the table is written.
    """
    from qidguard_mo_obam.evaluation.studies import tune

    with output.progress() as progress:
        found = tune(**table.asked, **_f1(table, models), **asked, progress=progress)
    return _shown(found, output)


def _f1(table: StudyTable, models: str | None) -> dict[str, Any]:
    """Return what a study takes of models: a tree where there is a target and nobody named any."""
    named = (
        (() if table.target is None else ("decision_tree",))
        if models is None
        else listed_names(models, "--models")
    )
    return {"target": table.target, "models": named, "left_out": table.left_out}


def _shown(found: "Study", output: "ResultOutput") -> int:
    plots = found.plots() if output.plots is not None and found.measured else {}
    output.show(*found.tables(), text=found.headline, plots=plots)
    return INTERRUPTED if found.is_interrupted else 0
