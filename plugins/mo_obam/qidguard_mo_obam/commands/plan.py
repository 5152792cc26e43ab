"""The methods and settings that are tried, on the command line."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from qidguard.sdk import listed_names
from qidguard_mo_obam.commands.listed import clusters, decimals, whole_numbers


def plan_options(*, n_c: str, methods: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what gives a command k, l, n_C, λ and methods, and hands over one ``plan``.

    Args:
        n_c: Numbers of clusters where none are given.
        methods: Anonymizers where none are given.
    """
    options = (
        click.option(
            "--k", metavar="K,...", default="5,10,15,20", show_default=True, help="Smallest classes."
        ),
        click.option("--l", metavar="L", type=int, default=2, show_default=True, help="Zheng's l."),
        click.option("--n-c", metavar="N,...", default=n_c, show_default=True, help="Clusters of MO-OBAM."),
        click.option(
            "--lambda", "weights", metavar="W,...", default="0", show_default=True, help="λ of MO-OBAM."
        ),
        click.option(
            "--methods", metavar="A,B,...", default=methods, show_default=True, help="The anonymizers."
        ),
    )

    def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_plan(**given: Any) -> Any:
            from qidguard_mo_obam.evaluation.evaluation import plan_of

            plan = plan_of(
                k=whole_numbers(given.pop("k"), "--k"),
                l=given.pop("l"),
                n_c=clusters(given.pop("n_c"), "--n-c"),
                weights=decimals(given.pop("weights"), "--lambda"),
                methods=listed_names(given.pop("methods"), "--methods"),
            )
            return command(plan=plan, **given)

        for option in reversed(options):
            with_plan = option(with_plan)
        return with_plan

    return with_options
