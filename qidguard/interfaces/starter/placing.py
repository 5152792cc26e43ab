"""A policy in another folder: what it says of places is said as seen from there."""

import json
import os
from collections.abc import Mapping
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from qidguard.core.errors import PolicyError, UserError
from qidguard.core.system import expanded
from qidguard.policy import parse_policy

if TYPE_CHECKING:
    from qidguard.policy import Policy


def placed(
    text: str, policy: "Policy", file: Path, *, destination: str | None = None
) -> "tuple[str, Policy]":
    """Return a policy as it must be written into another file, so that it still means the same places.

    Relative paths lead to the same files from there. The destination of releases becomes a
    whole path, so that it stays where it was when the file moves on.

    Example:
        >>> roles = "preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}"
        >>> text = "{qidguard: 1, name: p, %s, source: {path: t.csv}}" % roles
        >>> placed(text, parse_policy(text, "/srv/p.yaml"), Path("/srv/dags/policies/p.yaml"))[1].source.path
        '../../t.csv'
    """
    written_there = {("source", "path"): policy.source.path, **policy.files_beside}
    values = {place: _from(policy, path, file.parent) for place, path in written_there.items()}
    values["release", "destination"] = destination or _whole(policy)
    changed = {place: value for place, value in values.items() if value is not None}
    wanted: Any = policy.model_dump(mode="json")
    for (*sections, field), value in changed.items():
        reduce(getitem, sections, wanted)[field] = value
    if ("lexicon", "path") in changed:  # it may be written as a path alone
        changed["lexicon",] = changed["lexicon", "path"]
    written = replaced(text, changed)
    try:
        again = parse_policy(written, str(file))
    except PolicyError:
        again = None
    if again is None or again.model_dump(mode="json") != wanted:
        raise UserError(
            "The paths in the policy are written in a way that cannot be changed for another folder; write"
            " source.path, source.codebook, population.path, lexicon, release.destination and the files of"
            " hierarchies on one line each."
        )
    return written, again


def _from(policy: "Policy", path: str | None, folder: Path) -> str | None:
    """Return a relative path of the policy as seen from a folder; None for any other."""
    if path is None or "://" in path or expanded(path).is_absolute():
        return None
    return Path(os.path.relpath(Path(policy.resolve(path)).absolute(), folder)).as_posix()


def _whole(policy: "Policy") -> str | None:
    """Return a relative destination as a whole path; None for any other."""
    destination = policy.release.destination
    if destination is None or "://" in destination or Path(destination).is_absolute():
        return None
    return str(Path(policy.resolve(destination)).absolute())


def replaced(text: str, values: Mapping[tuple[str, ...], str]) -> str:
    """Return a YAML text with other values at some places.

    Example:
        >>> replaced("source: {path: a.csv} # where", {("source", "path"): "../b.csv"})
        'source: {path: "../b.csv"} # where'
    """
    root = YAML(pure=True).compose(text)
    found = [(node, value) for place, value in values.items() if (node := _scalar(root, place)) is not None]
    found = [(node, value) for node, value in found if node.value != value]
    for node, value in sorted(found, key=lambda pair: pair[0].start_mark.index, reverse=True):
        start, end = node.start_mark.index, node.end_mark.index
        text = text[:start] + json.dumps(value, ensure_ascii=False) + text[end:]
    return text


def _scalar(node: Node | None, place: tuple[str, ...]) -> ScalarNode | None:
    for key in place:
        if not isinstance(node, MappingNode):
            return None
        node = next((value for name, value in node.value if name.value == key), None)
    return node if isinstance(node, ScalarNode) else None
