"""The options of a command that tries methods on a table under a policy."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.interfaces.options import judging_policy, loss_options, repeating_seed
from qidguard.interfaces.plot_files import can_draw
from qidguard.interfaces.reading import Reading, losses_named, reading_options
from qidguard.interfaces.screen import check_output

if TYPE_CHECKING:
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class MethodRequest:
    """What a command line says of methods: on what they are tried, by which policy, what is measured.

    Args:
        source: The table.
        policy: The policy.
        policy_file: Where it stands.
        seed: Seeds every method; None draws one.
        attacks: Attacks to rehearse.
        losses: Which losses are measured; None for those that cost little.
        has_models: Whether what was lost is measured by training models, too.
        reading: What was said of reading.
    """

    source: str
    policy: "Policy"
    policy_file: str
    seed: int | None
    attacks: tuple[str, ...]
    losses: tuple[str, ...] | None
    has_models: bool
    reading: Reading

    @property
    def other_sources(self) -> tuple[str, ...]:
        """What the policy has read beside the table."""
        from qidguard.trials.read_places import other_sources

        return other_sources(self.policy)

    @property
    def inputs(self) -> tuple[str, ...]:
        """What is read, over which nothing may be written."""
        return (self.source, self.policy_file, *self.other_sources)

    @property
    def measured(self) -> dict[str, Any]:
        """What is tried and measured, and how the table is read, by the names that Python calls take."""
        return {
            "seed": self.seed,
            "attacks": self.attacks,
            "losses": self.losses,
            "has_models": self.has_models,
            "read": self.reading.options(self.policy),
            "settings": self.reading.settings(self.policy),
        }

    def check_plot(self, path: str, output: str | None) -> None:
        """Check before hours of work that ``--plot`` can be drawn into a file that is no other one.

        Args:
            path: The file.
            output: What ``--output`` names; None for nothing.

        Raises:
            UserError: When it cannot, or would overwrite what is read.

        Example:
            >>> from qidguard.policy import parse_policy
            >>> text = "qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}"
            >>> rules = parse_policy(f"{{{text}}}", "p.yaml")
            >>> asked = MethodRequest(
            ...     source="t.csv",
            ...     policy=rules,
            ...     policy_file="p.yaml",
            ...     seed=None,
            ...     attacks=(),
            ...     losses=None,
            ...     has_models=False,
            ...     reading=Reading(read={}, resources={}),
            ... )
            >>> asked.check_plot("frontier.svg", None)
        """
        if Path(path).suffix.lower() not in {".svg", ".png", ".html"}:
            raise UserError(f"--plot: a plot is saved as .png, .svg or .html, not {path!r}; name one")
        if not can_draw():
            raise UserError(
                "--plot: plots are drawn by altair and vl-convert-python; install qidguard[plots]"
            )
        check_output(path, *self.inputs, option="--plot")
        if output is not None and Path(output).absolute() == Path(path).absolute():
            raise UserError(f"--output and --plot both name {path!r}; name two files")


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command DATA, the policy, and the options of methods, and hand them over as one ``asked``.

    These are those of the seed, of attacks and losses, and of reading.

    Args:
        command: A function that takes ``asked``, a ``MethodRequest``.

    Returns:
        The function that click calls.

    Example:
        >>> import click
        >>> @click.command()
        ... @method_options
        ... def look(*, asked: MethodRequest) -> int:
        ...     return 0
        >>> [option.name for option in look.params][:4]
        ['data', 'policy', 'seed', 'attacks']
    """
    import click

    @wraps(command)
    def with_methods(
        *,
        data: str | None,
        policy: str,
        seed: int | None,
        attacks: tuple[str, ...],
        utility: str,
        losses: str | None,
        reading: Reading,
        **given: Any,
    ) -> Any:
        from qidguard.auditing.context import source_of
        from qidguard.policy import load_policy

        rules = load_policy(policy)
        asked = MethodRequest(
            source=source_of(data, rules),
            policy=rules,
            policy_file=policy,
            seed=seed,
            attacks=attacks,
            losses=losses_named(losses),
            has_models=utility == "models",
            reading=reading,
        )
        return command(asked=asked, **given)

    # click keeps options from the last to the first: the command's own stand between the policy and these
    own = vars(with_methods).pop("__click_params__", [])
    made = repeating_seed()(loss_options(reading_options(with_methods)))
    vars(made)["__click_params__"] += own
    return click.argument("data", required=False)(judging_policy(made))
