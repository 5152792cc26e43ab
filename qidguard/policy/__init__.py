"""The policy: roles, thresholds, attacker and presets in one reviewed YAML file."""

from qidguard.core.naming import did_you_mean
from qidguard.policy.accepted import Acceptance
from qidguard.policy.discovery import DiscoverySettings
from qidguard.policy.draft import draft_policy
from qidguard.policy.evidence import StatedEvidence
from qidguard.policy.exceptions import Approver, Exceptions
from qidguard.policy.fields import Telling
from qidguard.policy.hierarchies import HierarchySettings
from qidguard.policy.load import load_policy, parse_policy, policy_schema
from qidguard.policy.model import Policy
from qidguard.policy.preset import PRESETS, Preset
from qidguard.policy.privacy_budget import PrivacyBudget
from qidguard.policy.release import ReleaseSettings, RemedySettings
from qidguard.policy.roles import Roles
from qidguard.policy.series import Series
from qidguard.policy.source import Population, Source
from qidguard.policy.threshold import Attestation, Combination, KnowsAny, Threshold

__all__ = [
    "PRESETS",
    "Acceptance",
    "Approver",
    "Attestation",
    "Combination",
    "DiscoverySettings",
    "Exceptions",
    "HierarchySettings",
    "KnowsAny",
    "Policy",
    "Population",
    "Preset",
    "PrivacyBudget",
    "ReleaseSettings",
    "RemedySettings",
    "Roles",
    "Series",
    "Source",
    "StatedEvidence",
    "Telling",
    "Threshold",
    "did_you_mean",
    "draft_policy",
    "load_policy",
    "parse_policy",
    "policy_schema",
]
