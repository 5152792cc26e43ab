"""The conformance kit that plugins are tested with, ours and others'.

An anonymizer is held against its protocol in a few lines::

    from qidguard_testing import AnonymizerConformance


    class TestMine(AnonymizerConformance):
        anonymizer = Mine()
        arguments = {"k": 3}
        claims = {"k_anonymity": 3}

or, where there is no pytest, by ``check_anonymizer(Mine(), {"k": 3})``, which returns what is wrong. Each
table goes the way of a release: a private snapshot, the host's own run, and the published snapshot, on which
every claim is measured by SQL. A command is held against what every command of ``qidguard`` does by
``check_command``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qidguard_testing.checking import check_anonymizer
    from qidguard_testing.commands import check_command
    from qidguard_testing.conformance import AnonymizerConformance
    from qidguard_testing.sample import Sample, drawn_samples, large
    from qidguard_testing.samples import SAMPLES
    from qidguard_testing.violation import Violation

_LATE = {
    "AnonymizerConformance": "qidguard_testing.conformance",
    "SAMPLES": "qidguard_testing.samples",
    "Sample": "qidguard_testing.sample",
    "Violation": "qidguard_testing.violation",
    "check_anonymizer": "qidguard_testing.checking",
    "check_command": "qidguard_testing.commands",
    "drawn_samples": "qidguard_testing.sample",
    "large": "qidguard_testing.sample",
}

__all__ = [
    "SAMPLES",
    "AnonymizerConformance",
    "Sample",
    "Violation",
    "check_anonymizer",
    "check_command",
    "drawn_samples",
    "large",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, since one of them needs pytest."""
    if name not in _LATE:
        raise AttributeError(f"module 'qidguard_testing' has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
