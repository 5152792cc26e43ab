"""What ``qidguard init`` writes: a policy with its table, the DAGs around it, its suite and checkpoint."""

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from qidguard.core.errors import InternalError, PolicyError, QidguardError, UserError
from qidguard.core.system import expanded
from qidguard.interfaces.starter.writing import PUBLIC, write_texts
from qidguard.policy import load_policy, parse_policy
from qidguard.releasing.context import policy_data_set

if TYPE_CHECKING:
    from qidguard.policy import Policy


_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
RECORDS, SEED = 5000, 1
"""The table of the demo: visits, of which each patient's first stays; and where the random numbers begin."""
TABLE, RAW_TABLE = "data/demo.csv", "data/demo-raw.csv"
"""The table that the demo's policy lets through, and the one that it blocks."""


@dataclass(frozen=True, kw_only=True)
class WorkingSet:
    """Files for a folder, of which nothing is written yet.

    Args:
        folder: The folder, by its whole path.
        policy: The policy, as it will be found there.
        policy_file: Where it will be, below the folder.
        data_set: The data set that it judges.
        files: Path below the folder → content.
        next_step: What to do with what a plugin added, in one line; empty for nothing.
        notes: What a reader must know beside them, one sentence each.
        policy_mode: Who may read and write the policy: the permissions of the user's own file.
    """

    folder: Path
    policy: "Policy" = field(repr=False)
    policy_file: str
    data_set: str
    files: Mapping[str, str] = field(repr=False)
    next_step: str = ""
    notes: tuple[str, ...] = ()
    policy_mode: int = PUBLIC

    def write(self, *, is_forced: bool = False) -> dict[str, bool]:
        """Write the files; see ``write_texts``.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     made = working_set(folder, has_gx=False)
            ...     all(made.write().values()), any(made.write().values())
            (True, False)
        """
        modes = {self.policy_file: self.policy_mode}
        return write_texts(self.folder, self.files, is_forced=is_forced, modes=modes)


def working_set(
    folder: str | Path, *, policy: str | None = None, has_airflow: bool = True, has_gx: bool | None = None
) -> WorkingSet:
    """Return what is written into a folder of the user's; nothing is written.

    Args:
        folder: The folder.
        policy: The path of the user's policy; None takes the demo's, with its tables.
        has_airflow: Whether there are DAGs; Airflow need not be installed.
        has_gx: Whether the extra gx adds its suite and checkpoint; None where it is installed.

    Raises:
        UserError: When something cannot be made of the policy, or the extra is asked for and not installed.

    Example:
        >>> made = working_set("/srv/gate", has_gx=False)
        >>> made.data_set, made.policy_file, "dags/human_sign_off.py" in made.files
        ('demo', 'dags/policies/demo.yaml', True)
    """
    place = expanded(folder).absolute()
    policies = "dags/policies" if has_airflow else "policies"
    if policy is None:
        rules, name, text = _demo(place, policies)
        files = _tables()
    else:
        rules, name, text = _own(policy, place, policies)
        files = {}
    data_set = policy_data_set(rules, name)
    files[f"{policies}/{name}"] = text
    if has_airflow:
        files |= {f"dags/{dag}": code for dag, code in dag_texts(data_set, name).items()}
    made = WorkingSet(
        folder=place,
        policy=rules,
        policy_file=f"{policies}/{name}",
        data_set=data_set,
        files=files,
        policy_mode=PUBLIC if policy is None else stat.S_IMODE(Path(policy).stat().st_mode) & 0o666,
    )
    return made if has_gx is False else _with_extra(made, is_wanted=has_gx is not None)


def _demo(folder: Path, policies: str) -> "tuple[Policy, str, str]":
    text = (starter_dags() / "policies" / POLICY_FILE).read_text(encoding="utf-8")
    rules = parse_policy(text, str(folder / "dags" / "policies" / POLICY_FILE))
    text, rules = placed(text, rules, folder / policies / POLICY_FILE, destination=str(folder / "published"))
    return rules, POLICY_FILE, text


def _own(policy: str, folder: Path, policies: str) -> "tuple[Policy, str, str]":
    rules, given = load_policy(policy), Path(policy)
    name = given.name if given.suffix in {".yaml", ".yml"} else f"{given.name}.yaml"
    if not _NAME.fullmatch(name):
        raise UserError(
            f"The policy's file is called {name!r}, and its name must stand in code; name it by letters,"
            " digits, '.', '_' and '-'"
        )
    text, rules = placed(given.read_text(encoding="utf-8-sig"), rules, folder / policies / name)
    return rules, name, text


def _tables() -> dict[str, str]:
    from qidguard.demo.coarsening import coarsen
    from qidguard.demo.table import hospital_table

    # who visits again would stand out by the set of their visits, release after release
    raw = hospital_table(RECORDS, SEED).drop_duplicates("patient_id")
    return {TABLE: coarsen(raw).table.to_csv(index=False), RAW_TABLE: raw.to_csv(index=False)}


def _with_extra(made: WorkingSet, *, is_wanted: bool) -> WorkingSet:
    from qidguard.host import load_host
    from qidguard.host.kinds import COMMANDS
    from qidguard.interfaces.plugin_commands import starter_files

    host = load_host()
    try:
        command = host.find(COMMANDS, "gx")
    except QidguardError as error:
        if is_wanted:
            raise
        return replace(made, notes=(f"There is no suite and no checkpoint: {error}",))
    added = starter_files(command, host.owner(COMMANDS.name, "gx"), made.policy, made.folder)
    files = {**made.files, **added.files}
    return replace(made, files=files, next_step=added.next_step, notes=added.notes)


POLICY_FILE = "demo.yaml"
"""The policy that the examples come with."""
_WIRED = 'DATA_SET, POLICY_FILE = "demo", "demo.yaml"'


def starter_dags() -> Path:
    """Return the folder of the example DAGs: the package's, or that of a checkout.

    Example:
        >>> (starter_dags() / "policies" / "demo.yaml").is_file()
        True
    """
    import qidguard

    package = Path(qidguard.__file__).parent
    for folder in (package / "starter" / "dags", package.parent / "dags"):
        if (folder / "policies" / POLICY_FILE).is_file():
            return folder
    raise InternalError("the example DAGs are not in the package; install it from a wheel or a checkout")


def dag_texts(data_set: str, policy_file: str) -> dict[str, str]:
    r"""Return the example DAGs for a data set.

    Example:
        >>> 'DATA_SET, POLICY_FILE = "ward", "w.yaml"\n' in dag_texts("ward", "w.yaml")["gate_and_publish.py"]
        True
    """
    wired = f'DATA_SET, POLICY_FILE = "{data_set}", "{policy_file}"'
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(starter_dags().glob("*.py"))}
    return {
        name: text.replace(_WIRED, wired).replace("`demo/", f"`{data_set}/") for name, text in texts.items()
    }


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
    for (*sections, last), value in changed.items():
        reduce(getitem, sections, wanted)[last] = value
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
