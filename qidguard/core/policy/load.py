"""Policies from files, texts and mappings."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from qidguard.core.errors import PolicyError
from qidguard.core.policy.document import read_document
from qidguard.core.policy.fault import complaints_of
from qidguard.core.policy.model import Policy
from qidguard.core.policy.origin import Origin
from qidguard.core.policy.refusal import shown

LARGEST_BYTES = 1_000_000
"""A file larger than this is not a policy; probably it is the table."""


def load_policy(source: "str | PathLike[str] | Mapping[str, Any] | Policy") -> Policy:
    """Return the policy in a YAML file or a mapping, checked in itself.

    Args:
        source: A path, a mapping with the fields of a policy, or a policy, which is returned as it is.

    Returns:
        The policy. Whether it fits a table is for the audit to say.

    Units:
        Lines in errors are counted from 1.

    Raises:
        PolicyError: when the file cannot be read, is not YAML, or breaks a rule; each fault on a line.

    Example:
        >>> policy = load_policy(
        ...     {
        ...         "qidguard": 1,
        ...         "name": "demo",
        ...         "roles": {"quasi_identifiers": ["age", "sex"]},
        ...         "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
        ...     }
        ... )
        >>> policy.thresholds[0].text
        'k_anonymity ≥ 5'
    """
    if isinstance(source, Policy):
        return source
    if isinstance(source, Mapping):
        return _validated(source, Origin())
    if not isinstance(source, (str, PathLike)):
        raise PolicyError(f"a policy is a path, a mapping or a Policy, not {type(source).__name__}")
    name = str(source)
    if "\n" in name:
        raise PolicyError("a policy is given by its path, not by its text; use parse_policy for text")
    return parse_policy(_text_of(Path(name), name), name)


def parse_policy(text: str, name: str = "policy") -> Policy:
    """Return the policy in a YAML text, checked in itself.

    Args:
        text: YAML 1.2.
        name: What errors call it.

    Returns:
        The policy.

    Units:
        Lines in errors are counted from 1.

    Raises:
        PolicyError: when the text is empty, not YAML, not a mapping, or breaks a rule.

    Example:
        >>> parse_policy("- a list", "policy.yaml")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.PolicyError: policy.yaml line 1: a policy is a mapping that begins with \
qidguard: 1, not a list; write one with: qidguard policy init DATA > policy.yaml
    """
    document = read_document(text, name)
    remedy = "write one with: qidguard policy init DATA > policy.yaml"
    if document.value is None:
        raise PolicyError(f"{name}: the policy is empty; {remedy}")
    if not isinstance(document.value, Mapping):
        # the value itself is not repeated: it may be the table, given in the policy's place
        kind = shown(document.value) if isinstance(document.value, list) else "a single value"
        place = document.origin.where(())
        raise PolicyError(
            f"{place}: a policy is a mapping that begins with qidguard: 1, not {kind}; {remedy}"
        )
    return _validated(document.value, document.origin)


def _validated(values: Mapping[str, Any], origin: Origin) -> Policy:
    try:
        return Policy.model_validate(values, context={"origin": origin})
    except ValidationError as error:
        complaints = list(complaints_of(Policy, error.errors(include_url=False)))
    raise origin.error(complaints)


def _text_of(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        raise PolicyError(
            f"{name}: there is no such policy file; check the path, or write one with: "
            "qidguard policy init DATA > policy.yaml"
        ) from None
    except IsADirectoryError:
        raise PolicyError(
            f"{name}: this is a folder, and a policy is one YAML file in it; name that"
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not a path"
        raise PolicyError(f"{name}: the policy cannot be read ({why}); check its name and rights") from None
    if len(content) > LARGEST_BYTES:
        raise PolicyError(f"{name}: this is larger than a policy may be (1 MB); is it the table?")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise PolicyError(f"{name}: this is not UTF-8 text; a policy is a YAML file saved as UTF-8")
    return text
