"""Which methods are compared: names with parameters, as a person writes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.core.choice import Choice, choice_parts
from qidguard.core.errors import UserError
from qidguard.core.parameter import Parameter

if TYPE_CHECKING:
    from qidguard.host import Host

ALL = "all"
"""What stands for every anonymizer that is installed."""

SUBJECT = "the anonymizers"
"""What errors call the text."""


def choices(written: str) -> tuple[Choice, ...]:
    """Return the anonymizers of a text such as ``mondrian,mdav[k=5, publish=means]``, each once.

    Raises:
        UserError: When a text is none of these, or a parameter or a choice stands twice.

    Example:
        >>> [str(one) for one in choices("mondrian, mdav[k=5,publish=means]")]
        ['mondrian', 'mdav[k=5, publish=means]']
    """
    parts = choice_parts(written)
    if not parts:
        raise UserError(f"{SUBJECT} name no anonymizer; name some, as qidguard plugins lists them.")
    chosen = tuple(Choice.read(part, SUBJECT) for part in parts)
    labels = [str(choice) for choice in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise UserError(f"{SUBJECT} name {label} twice; keep one of them")
    return chosen


def expanded(given: Sequence[Choice], host: "Host") -> tuple[Choice, ...]:
    """Return the choices with ``all`` replaced by every other anonymizer that takes k from the policy.

    These are the installed ones that have a parameter k and need none to be set.

    Args:
        given: The choices.
        host: The plugins.

    Returns:
        The choices, each once, in order.

    Raises:
        UserError: When no anonymizer is installed that would be taken, or none is named.

    Example:
        >>> from types import SimpleNamespace
        >>> expanded([Choice(name="mdav")], SimpleNamespace(anonymizers={}))[0].name
        'mdav'
    """
    taken: dict[str, Choice] = {}
    named = {choice.name for choice in given}
    for choice in given:
        if choice.name != ALL:
            taken[str(choice)] = choice
            continue
        for name, anonymizer in host.anonymizers.items():
            if name not in named and _can_stand_alone(anonymizer.parameters):
                taken[name] = Choice(name=name)
    if not taken:
        raise UserError("There is no anonymizer to compare; name some, as qidguard plugins lists them.")
    return tuple(taken.values())


def _can_stand_alone(parameters: Sequence[Parameter]) -> bool:
    has_k = any(parameter.name == "k" for parameter in parameters)
    return has_k and all(parameter.default is not None for parameter in parameters)
