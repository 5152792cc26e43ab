"""Who left since the latest release, with the sensitive value that it shows of them."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import NotMeasurable
from qidguard.core.versions import LeftPersons

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses
    from qidguard.releasing.history.followed import Followed


def values_name(sensitive: str) -> str:
    r"""Return under which name the values of a sensitive attribute are kept beside the classes.

    No combination of a policy has that name, since none has a control character in it.

    Example:
        >>> values_name("illness")
        '\x00sensitive:illness'
    """
    return f"\0sensitive:{sensitive}"


def left_persons(
    last: "KeyedClasses", release_id: str, shown: "Followed", now: "KeyedClasses", sensitive: str
) -> LeftPersons:
    """Return the persons of the latest release who are not in the table; ``shown`` are those of all releases.

    NotMeasurable where the release was recorded without the values of the attribute.
    """
    name = values_name(sensitive)
    if name not in last.classes:
        raise NotMeasurable(
            f"the release {release_id!r} was recorded without the values of {sensitive!r}, so nobody knows"
            " with which of them people left; publish one release without this threshold, which records them"
        )
    persons = np.ascontiguousarray(last.persons).view("S16").ravel()
    has_left = ~np.isin(persons, np.ascontiguousarray(now.persons).view("S16").ravel())
    return LeftPersons(
        batch=shown.joint[np.searchsorted(shown.persons, persons[has_left])],
        value=last.class_of[name][has_left],
    )
