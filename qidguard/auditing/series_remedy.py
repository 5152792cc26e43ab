"""Whether a policy's series and its remedy belong together."""

from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError
from qidguard.policy.series_rules import unrelated_fields

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import Anonymizer
    from qidguard.policy import Policy


def check_series(policy: "Policy", anonymizer: "Anonymizer | None") -> None:
    """Raise PolicyError where leavers are kept and no remedy decides on them, or the other way round.

    ``anonymizer`` is the policy's; None where it has fixed levels or nothing.
    """
    series = policy.series
    keeps_leavers = series is not None and bool(series.left_on or series.state)
    if anonymizer is not None and getattr(anonymizer, "needs_last_values", False):
        _check_needed(policy, anonymizer.name, keeps_leavers=keeps_leavers)
    elif keeps_leavers:
        who = "no remedy decides" if anonymizer is None else f"the remedy {anonymizer.name} does not decide"
        raise policy.error(
            f"the series keeps the last values of who left, and {who} which of them stay; name a remedy for"
            " a series (qidguard plugins lists them), or leave left_on and state out",
            "series",
        )


def _check_needed(policy: "Policy", remedy: str, *, keeps_leavers: bool) -> None:
    needed = {
        "the last values of who left; write series.left_on, the column that tells who left, or series.state,"
        " a private folder": keeps_leavers,
        "persons whom it can follow; write roles.entity": policy.roles.entity is not None,
        "the earlier releases; write earlier_releases: judged under release, and do not name the data set"
        " under unrelated": not unrelated_fields(policy.release),
    }
    faults = [
        str(policy.error(f"the remedy {remedy} needs {what}", "remedy", "anonymizer"))
        for what, is_there in needed.items()
        if not is_there
    ]
    if faults:
        raise PolicyError("\n".join(faults))
