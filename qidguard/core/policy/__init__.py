"""The policy: roles, thresholds, attacker and presets in one reviewed YAML file."""

from qidguard.core.policy.discovery import DiscoverySettings
from qidguard.core.policy.draft import draft_policy
from qidguard.core.policy.evidence import Evidence
from qidguard.core.policy.exceptions import Approver, Exceptions
from qidguard.core.policy.hierarchies import HierarchySettings
from qidguard.core.policy.load import load_policy, parse_policy
from qidguard.core.policy.model import Policy
from qidguard.core.policy.preset import PRESETS, Preset, PresetRow, preset_rows
from qidguard.core.policy.privacy_budget import PrivacyBudget
from qidguard.core.policy.release import Release
from qidguard.core.policy.remedy import Remedy
from qidguard.core.policy.roles import Roles
from qidguard.core.policy.schema import policy_schema
from qidguard.core.policy.source import Population, Source
from qidguard.core.policy.spelling import did_you_mean
from qidguard.core.policy.threshold import Attestation, Combination, KnowsAny, Threshold

__all__ = [
    "PRESETS",
    "Approver",
    "Attestation",
    "Combination",
    "DiscoverySettings",
    "Evidence",
    "Exceptions",
    "HierarchySettings",
    "KnowsAny",
    "Policy",
    "Population",
    "Preset",
    "PresetRow",
    "PrivacyBudget",
    "Release",
    "Remedy",
    "Roles",
    "Source",
    "Threshold",
    "did_you_mean",
    "draft_policy",
    "load_policy",
    "parse_policy",
    "policy_schema",
    "preset_rows",
]
