"""A section of a policy: frozen, and without fields that nobody knows."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from qidguard.core.policy.refusal import refusal, shown


class Section(BaseModel):
    """Fields under one heading of a policy; a field without a value counts as not written."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: Any) -> Any:
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise refusal(f"must be a mapping, not {shown(given)}")
        for key in given:
            if not isinstance(key, str):
                raise refusal(f"has the key {shown(key)}, which is not text")
        known = cls.model_fields
        return {key: value for key, value in given.items() if value is not None or key not in known}
