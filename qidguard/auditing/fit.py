"""Whether a policy fits the columns of a table."""

from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError
from qidguard.core.policy.spelling import did_you_mean

if TYPE_CHECKING:
    from qidguard.core.policy import Policy


def check_fit(policy: "Policy", names: tuple[str, ...], original: tuple[str, ...] = ()) -> None:
    """Raise one PolicyError that says, for every column the table lacks, where the policy names it.

    What is never published, a direct identifier or a dropped column, may be missing where the table was made
    from an ``original`` that has it.
    """
    errors = []
    never = {*policy.roles.direct_identifiers, *policy.dropped_columns} & set(original)
    for name in policy.mentioned_columns:
        if name not in names and name not in never:
            hint = did_you_mean(name, names, is_listed=False) or (
                f"it has {len(names)} other columns; look at its header"
            )
            sentence = f"the table has no column {name!r}; {hint}"
            errors.append(str(policy.error(sentence, *policy.path_of_column(name))))
    if errors:
        raise PolicyError("\n".join(errors))
