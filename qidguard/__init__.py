"""qidguard decides whether a table of personal data may be published.

The names below are what users call; ``qidguard.sdk`` holds what plugins are made of. Each is imported
when it is first used, so importing this costs little.
"""

from typing import TYPE_CHECKING

from qidguard.lazy import lazy_names

if TYPE_CHECKING:
    from qidguard.advising.asking import advise as advise
    from qidguard.auditing import Audit as Audit
    from qidguard.auditing import audit as audit
    from qidguard.auditing.measuring import measure as measure
    from qidguard.core.errors import DataError as DataError
    from qidguard.core.errors import ExitCode as ExitCode
    from qidguard.core.errors import InternalError as InternalError
    from qidguard.core.errors import NotMeasurable as NotMeasurable
    from qidguard.core.errors import PluginError as PluginError
    from qidguard.core.errors import PolicyError as PolicyError
    from qidguard.core.errors import QidguardError as QidguardError
    from qidguard.core.errors import UserError as UserError
    from qidguard.core.report import AuditReport as AuditReport
    from qidguard.core.role import Role as Role
    from qidguard.discovering.discover import discover as discover
    from qidguard.discovering.discovery import Discovery as Discovery
    from qidguard.engines.base import EngineSettings as EngineSettings
    from qidguard.engines.base import ReadOptions as ReadOptions
    from qidguard.evidence.verify import Verification as Verification
    from qidguard.host import register as register
    from qidguard.host import unregister as unregister
    from qidguard.interfaces.explaining import Explained as Explained
    from qidguard.interfaces.explaining import explain as explain
    from qidguard.interfaces.verifying import verify as verify
    from qidguard.policy import Policy as Policy
    from qidguard.policy import load_policy as load_policy
    from qidguard.releasing.anonymize import anonymize as anonymize
    from qidguard.releasing.result import Release as Release
    from qidguard.releasing.run import release as release
    from qidguard.trials.trial import Trial as Trial

_HOMES = {
    "qidguard.advising.asking": "advise",
    "qidguard.auditing": "Audit audit",
    "qidguard.auditing.measuring": "measure",
    "qidguard.core.errors": (
        "DataError ExitCode InternalError NotMeasurable PluginError PolicyError QidguardError UserError"
    ),
    "qidguard.core.report": "AuditReport",
    "qidguard.core.role": "Role",
    "qidguard.discovering.discover": "discover",
    "qidguard.discovering.discovery": "Discovery",
    "qidguard.engines.base": "EngineSettings ReadOptions",
    "qidguard.evidence.verify": "Verification",
    "qidguard.host": "register unregister",
    "qidguard.interfaces.explaining": "Explained explain",
    "qidguard.interfaces.verifying": "verify",
    "qidguard.policy": "Policy load_policy",
    "qidguard.releasing.anonymize": "anonymize",
    "qidguard.releasing.result": "Release",
    "qidguard.releasing.run": "release",
    "qidguard.trials.trial": "Trial",
}
"""Module → the public names that it holds; the imports above say the same to type checkers."""

__all__ = [name for names in _HOMES.values() for name in names.split()]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
