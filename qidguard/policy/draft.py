"""The first draft of a policy, for a person to decide on."""

import io
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from qidguard.core.kind import KIND_WORDS, TIER_WORDS, KindAssignment
from qidguard.core.outside import IdentifyingColumn
from qidguard.core.report import ColumnReport
from qidguard.core.role import DecidedBy, Role
from qidguard.policy.source import Numbers, Source

_LISTS = {
    "quasi_identifiers": Role.QUASI_IDENTIFIER,
    "sensitive": Role.SENSITIVE,
    "direct_identifiers": Role.DIRECT_IDENTIFIER,
    "insensitive": Role.INSENSITIVE,
}
_SINGLES = {role.value: role for role in (Role.TARGET, Role.TREATMENT, Role.ENTITY, Role.WEIGHT)}

_THRESHOLDS = """\
thresholds:
  # 11 is the size that public clinical reports (EMA 0070, Health Canada) and CMS tables go by; PDPC speaks of
  # 3 or 5, practice after ISO/IEC 27559 of 10, 14 or 20. `qidguard policy presets` lists them with sources.
  - metric: k_anonymity
    at_least: 11
"""
_DIVERSITY = """\
  # No source sets a number for l: the number below is for you to decide.
  # - metric: distinct_l_diversity
  #   at_least: 2
"""

_RELEASE = """
# Direct identifiers are never published. Name here what else must never be:
# release:
#   drop: [a_column]
"""

_OFTEN_MISSING = ('"?"', '"NA"', '"N/A"', '"null"', '"NaN"', '"-"', '"."')
"""Texts that often stand for a missing value, as YAML."""

_MOST_NAMED = 8
"""Columns that one comment names."""


def draft_policy(
    columns: Sequence[ColumnReport],
    *,
    name: str = "draft",
    source: Source | None = None,
    identifying: Sequence[IdentifyingColumn] = (),
    ready: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a commented policy text that proposes a role for each column and says who decided it and why.

    Columns that nobody knows are listed in a comment and named nowhere else, so that the policy blocks until
    a person has decided on them. ``identifying`` are columns outside the QIDs that identify people by
    themselves: beside each stands what it looks like, and before them the ways out; none is accepted here.
    ``ready`` are columns with the published system of their values; QIDs among them get its hierarchy.

    Example:
        >>> print(draft_policy([], name="empty").splitlines()[0])
        # A draft. Decide on every column, then remove these comments.
    """
    why = {one.column: comment_text(one.reason) for one in identifying}
    parts = [
        "# A draft. Decide on every column, then remove these comments.\n",
        "qidguard: 1\n",
        f"name: {scalar_text(name)}\n",
        _source(source or Source()),
        _source_hint(columns, source or Source()),
        "\nroles:\n",
        *(_list(field, _of(columns, role), why) for field, role in _LISTS.items()),
        *(_single(field, _of(columns, role), why) for field, role in _SINGLES.items()),
        _entity_hint(columns),
        _asked([c for c in columns if _is_asked(c)], why),
        _undecided([c for c in columns if c.assignment.role is Role.UNCLASSIFIED and not _is_asked(c)], why),
        _identifying_hint(identifying),
        kinds_text(columns),
        _hierarchies([c.facts.name for c in columns if c.assignment.role is Role.QUASI_IDENTIFIER], ready),
        "\n# What a column is that this policy does not name: block, insensitive or quasi_identifier.\n",
        "unnamed_columns: block\n",
        "\n# all: the attacker knows every QID. {knows_any: 3}: any three of them; the worst three count.\n",
        "attacker: all\n\n",
        _THRESHOLDS,
    ]
    if any(column.assignment.is_sensitive for column in columns):
        parts.append(_DIVERSITY)
    parts.append(_RELEASE)
    return "".join(parts)


def roles_to_add(columns: Sequence[ColumnReport]) -> tuple[str, ...]:
    """Return the lines of a policy's roles for columns that it does not name yet, each with its reason.

    Example:
        >>> roles_to_add([])
        ()
    """

    def item(column: ColumnReport) -> str:
        reason = comment_text(column.assignment.reason)
        return f"- {scalar_text(column.facts.name)}" + (f"  # {reason}" if reason else "")

    lines: list[str] = []
    for field, role in _LISTS.items():
        some = _of(columns, role)
        lines += [f"  {field}:", *(f"    {item(column)}" for column in some)] if some else []
    for field, role in _SINGLES.items():
        lines += [f"  {field}: {item(column).removeprefix('- ')}" for column in _of(columns, role)]
    open_ = _of(columns, Role.UNCLASSIFIED)
    if open_:
        lines += ["  # which of these lists?", *(f"  # {item(column)}" for column in open_)]
    return tuple(lines)


def _of(columns: Sequence[ColumnReport], role: Role) -> list[ColumnReport]:
    """Return the columns in the list of a role; a QID that is sensitive, too, stands in two."""
    return [
        column
        for column in columns
        if column.assignment.role is role or (role is Role.SENSITIVE and column.assignment.is_sensitive)
    ]


def _hierarchies(qids: Sequence[str], ready: Mapping[str, str]) -> str:
    lines = [f"  {key_text(name)} {{ready: {ready[name]}}}\n" for name in qids if name in ready]
    if not lines:
        return ""
    head = (
        "\n# Columns whose values belong to a published system: how they may be generalized.\nhierarchies:\n"
    )
    return head + "".join(lines)


def _is_asked(column: ColumnReport) -> bool:
    assignment = column.assignment
    return assignment.role is Role.UNCLASSIFIED and assignment.decided_by is not DecidedBy.NOBODY


def _reason(column: ColumnReport) -> str:
    """Return who says so, how sure and why, and what else the column may be."""
    assignment, confidence = column.assignment, column.confidence
    said = assignment.decided_by + ("" if confidence is None else f", confidence {confidence:.2g}")
    said += f": {assignment.reason}" if assignment.reason else ""
    said += f"; {column.sensitivity.sentence}" if column.sensitivity is not None else ""
    for rival in column.rivals:
        role = rival.assignment.role.value.replace("_", " ")
        said += f"; or {role}, confidence {rival.confidence:.2g}: {rival.assignment.reason}"
    return comment_text(said)


def _list(field: str, columns: Sequence[ColumnReport], why: Mapping[str, str]) -> str:
    if not columns and field == "quasi_identifiers":
        # an empty list would be no policy; so the audit blocks and says what is missing
        return f"  {field}: auto  # none was recognized; name them here\n"
    if not columns:
        return f"  {field}: []\n"
    tiers = {c.facts.name: None if c.sensitivity is None else c.sensitivity.tier for c in columns}
    if field != "sensitive" or not any(tiers.values()):
        return f"  {field}:\n" + "".join(_item(column, why) for column in columns)
    lines = []
    for tier, words in (*TIER_WORDS.items(), (None, "by what nobody knows")):
        of_tier = [column for column in columns if tiers[column.facts.name] is tier]
        lines += [f"    # {words}:\n"] if of_tier else []
        lines += [_item(column, why) for column in of_tier]
    return f"  {field}:\n" + "".join(lines)


def _item(column: ColumnReport, why: Mapping[str, str]) -> str:
    return f"    - {scalar_text(column.facts.name)}  # {_reason(column)}{_question(column, why)}\n"


def _question(column: ColumnReport, why: Mapping[str, str]) -> str:
    """Return what a column that identifies people by itself looks like, with what is asked of a person."""
    reason = why.get(column.facts.name)
    return "" if reason is None else f"; {reason}: drop it, or accept it?"


def _identifying_hint(identifying: Sequence[IdentifyingColumn]) -> str:
    """Return the two ways out for columns that identify people by themselves, as comments."""
    if not identifying:
        return ""
    name = scalar_text(identifying[0].column)
    return (
        "\n# Above, `drop it, or accept it?` stands beside each column that identifies people. Unless"
        "\n# it is a quasi-identifier or a direct identifier, it blocks until it is no longer published,\n"
        f"# release:\n#   drop: [{name}]\n"
        "# or until a person accepts it and says why:\n"
        f"# accepted:\n#   - columns: [{name}]\n#     reason: \n"
    )


def _single(field: str, columns: Sequence[ColumnReport], why: Mapping[str, str]) -> str:
    """Return the one column of a role; a second one is left for a person to decide."""
    return "".join(
        f"  {'' if position == 0 else '# '}{field}: {scalar_text(column.facts.name)}"
        f"  # {_reason(column)}{_question(column, why)}\n"
        for position, column in enumerate(columns)
    )


def _entity_hint(columns: Sequence[ColumnReport]) -> str:
    """Return a commented entity line for each direct identifier that repeats as a key of persons does."""
    repeating = [
        column.facts
        for column in columns
        if column.assignment.role is Role.DIRECT_IDENTIFIER and column.facts.is_repeating_key
    ]
    if not repeating or any(column.assignment.role is Role.ENTITY for column in columns):
        return ""
    lines = [
        f"  # entity: {scalar_text(facts.name)}"
        f"  # {facts.distinct:,} distinct values in {facts.records:,} records\n"
        for facts in repeating
    ]
    return "  # If one person has several records, name the column that tells persons apart:\n" + "".join(
        lines
    )


def _asked(columns: Sequence[ColumnReport], why: Mapping[str, str]) -> str:
    """Return what recognizers are not sure of as questions; until a person answers, the policy blocks."""
    if not columns:
        return ""
    lines = [f"  # - {scalar_text(c.facts.name)}  # {_reason(c)}{_question(c, why)}\n" for c in columns]
    return (
        "  # Questions to you. Move each column into the list above that the answer names, or another one;\n"
        "  # until then the policy blocks.\n" + "".join(lines)
    )


def _undecided(columns: Sequence[ColumnReport], why: Mapping[str, str]) -> str:
    if not columns:
        return ""
    lines = [
        f"  # - {scalar_text(c.facts.name)}  # {c.facts.value_type}, {c.facts.distinct:,} distinct values"
        f"{_question(c, why)}\n"
        for c in columns
    ]
    return (
        "  # Nobody knows these columns. Move each one into a list above; until then the policy blocks.\n"
        + "".join(lines)
    )


def _source_hint(columns: Sequence[ColumnReport], source: Source) -> str:
    """Return the fields of the source section that the facts ask for, commented for a person to confirm."""
    why: list[str] = []
    fields: list[str] = []
    names = [column.facts.name for column in columns]
    if names and source.columns is None and names == [f"column_{i}" for i in range(len(names))]:
        why.append("These names look made up. If the file has no header, give its own, and use them below.")
        fields += ["header: false"] if source.header is None else []
        fields.append(f"columns: [{', '.join(names)}]")
    marked = [column.facts for column in columns if column.facts.undeclared_missing]
    if marked:
        listed = [f"{facts.name} ({facts.undeclared_missing:,} records)" for facts in marked[:_MOST_NAMED]]
        more = f" and {len(marked) - _MOST_NAMED} more columns" if len(marked) > _MOST_NAMED else ""
        why.append(comment_text(f"A text such as ? or NA counts as a value in {', '.join(listed)}{more}."))
        why.append("If some mean missing, keep those texts below, beside any you have declared.")
        fields.append(f"missing: [{', '.join(_OFTEN_MISSING)}]")
    if not fields:
        return ""
    section = [] if _source(source) else ["source:"]
    return "\n" + "".join(f"# {line}\n" for line in (*why, *section, *(f"  {field}" for field in fields)))


def _source(source: Source) -> str:
    lines = []
    for field, default in ((field, info.default) for field, info in Source.model_fields.items()):
        value = getattr(source, field)
        if value == default:
            continue
        if isinstance(value, Numbers):
            marks = value.model_dump(mode="json", exclude_defaults=True)
            written = f" {json.dumps(marks, ensure_ascii=False)}"
        elif isinstance(value, tuple):
            written = "\n" + "\n".join(f"    - {scalar_text(item)}" for item in value)
        else:
            written = f" {str(value).lower() if isinstance(value, bool) else scalar_text(value)}"
        lines.append(f"  {field}:{written}\n")
    return "\nsource:\n" + "".join(lines) if lines else ""


_HEAD = """
# What the values of each column are: correct what is wrong. It is no role, and blocks nothing.
"""
_ASKED = "# Questions to you: write down each that is so, or what is.\n"


def kinds_text(columns: Sequence[ColumnReport]) -> str:
    """Return the section: what is proposed, and what is unsure as questions in comments."""
    known = [(column.facts.name, column.kind) for column in columns if column.kind is not None]
    sure = [(name, kind) for name, kind in known if kind.is_sure]
    unsure = [(name, kind) for name, kind in known if not kind.is_sure]
    if not known:
        return ""
    lines = ["kinds:\n" if sure else "# kinds:\n"]
    lines += [f"  {key_text(name)} {kind.kind}  # {_why(kind)}\n" for name, kind in sure]
    if unsure:
        lines.append(f"  {_ASKED}")
    lines += [
        f"  # {scalar_text(name)}: {kind.kind}?  # {KIND_WORDS[kind.kind]}; {_why(kind)}\n"
        for name, kind in unsure
    ]
    return _HEAD + "".join(lines)


def _why(kind: KindAssignment) -> str:
    said = kind.decided_by + ("" if kind.confidence is None else f", confidence {kind.confidence:.2g}")
    return comment_text(said + (f": {kind.reason}" if kind.reason else ""))


def scalar_text(text: str) -> str:
    """Return text as one line of YAML, quoted where it must be.

    Example:
        >>> scalar_text("age"), scalar_text("5")
        ('age', "'5'")
    """
    for candidate in (text, DoubleQuotedScalarString(text)):
        yaml = YAML()
        yaml.width = 1 << 30
        stream = io.StringIO()
        yaml.dump([candidate], stream)
        line = stream.getvalue().removesuffix("\n").removeprefix("- ")
        if line.isprintable():
            break
    return line


_LONGEST_KEY = 1_000
"""Characters of a key that YAML reads without being told that one follows."""


def key_text(name: str) -> str:
    """Return a column's name as a key of YAML with what stands behind it.

    Example:
        >>> key_text("age"), key_text("<<")
        ('age:', "'<<':")
    """
    text = scalar_text(name)
    return f"{text}:" if len(text) <= _LONGEST_KEY else f"? {text}\n  :"


def comment_text(text: str) -> str:
    r"""Return text fit for a comment at the end of a line: no line ends, no control characters.

    Example:
        >>> comment_text("two\nlines")
        'two lines'
    """
    return "".join(character if character.isprintable() else " " for character in text).strip()
