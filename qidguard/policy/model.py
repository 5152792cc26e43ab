"""The policy: what must hold before a table may be published."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from pydantic import PrivateAttr, ValidationInfo, model_validator

from qidguard.core.errors import PolicyError
from qidguard.core.hierarchy import SUPPRESSED
from qidguard.core.spelling import Normalized, Spelling
from qidguard.core.system import expanded
from qidguard.policy.accepted import Acceptance, path_among
from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint, FieldPath, Origin, value_digest
from qidguard.policy.rules import broken_rules
from qidguard.policy.tables import is_of_another
from qidguard.policy.threshold import Combination


class Policy(PolicyFields):
    """A written, reviewed statement of what must hold before a table may be published.

    Make one with ``load_policy``, whose errors name the line.

    Example:
        >>> policy = Policy(
        ...     qidguard=1,
        ...     name="demo",
        ...     roles={"quasi_identifiers": ["age", "sex"]},
        ...     thresholds=[{"metric": "k_anonymity", "at_least": 5}],
        ... )
        >>> policy.named_columns
        ('age', 'sex')
    """

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @model_validator(mode="after")
    def _holds_together(self, info: ValidationInfo) -> Self:
        context: Mapping[str, Any] = info.context or {}
        self._origin = context.get("origin", Origin())
        complaints = list(broken_rules(self))
        if complaints:
            raise self._origin.error(complaints)
        return self

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Every column that the policy gives a role, once, in order."""
        others = (column for combination in self.combinations for column in combination.quasi_identifiers)
        return tuple(dict.fromkeys((*self.roles.named, *others)))

    @property
    def source_path(self) -> str | None:
        """Where the policy says that the table is, as seen from here; None where it does not say."""
        return None if self.source.path is None else self.resolve(self.source.path)

    @property
    def files_beside(self) -> dict[tuple[str, ...], str]:
        """The files that are read beside the table, as they are written, by the fields that name them."""
        named: dict[tuple[str, ...], str | None] = {
            ("population", "path"): None if self.population is None else self.population.path,
            **{
                ("hierarchies", column, one.kind): getattr(one, one.kind)
                for column, one in self.hierarchies.items()
                if one.kind in {"file", "taxonomy"}
            },
            ("source", "codebook"): self.source.codebook,
            ("lexicon", "path"): None if self.lexicon is None else self.lexicon.path,
        }
        return {place: path for place, path in named.items() if path is not None}

    @property
    def state_folder(self) -> str | None:
        """Where the policy keeps the state of its series, as seen from here; None where it keeps none."""
        kept = None if self.series is None else self.series.state
        return None if kept is None else self.resolve(kept)

    @property
    def dropped_columns(self) -> tuple[str, ...]:
        """The columns that are never published, those of the series too; direct identifiers go besides."""
        of_series = () if self.series is None else self.series.columns
        return tuple(dict.fromkeys((*self.release.drop, *of_series)))

    @property
    def decided_columns(self) -> tuple[str, ...]:
        """Every column that a person decided on: by a role, or by never publishing it."""
        return tuple(dict.fromkeys((*self.named_columns, *self.dropped_columns)))

    @property
    def mentioned_columns(self) -> tuple[str, ...]:
        """Every column that stands anywhere in the policy, once, in order; the table has to have each."""
        accepted = (column for one in self.accepted for column in one.named)
        named = (*self.decided_columns, *self.evidence.columns, *self.hierarchies, *self.kinds)
        named = (*named, *self.order, *accepted, *self._recoded)
        return tuple(dict.fromkeys(name for name in named if not is_of_another(self.tables, name)))

    @property
    def _recoded(self) -> Collection[str]:
        """The columns that the remedy puts on fixed levels, or drops."""
        return () if self.remedy is None else self.remedy.recode or ()

    @property
    def suppression_mark(self) -> str | None:
        """The text of a suppressed value: what the source says, or a remedy writes; None without both."""
        return self.source.suppression_mark or (None if self.remedy is None else SUPPRESSED)

    @property
    def normalized(self) -> tuple[Normalized, ...]:
        """The columns in which texts that are written differently are one value; quasi-identifiers never.

        They are the sensitive ones, and a target or treatment that is no quasi-identifier.
        """
        given = self.source.normalize
        if given is None:
            return ()
        measured = self.measured_columns
        ways = given if isinstance(given, Mapping) else dict.fromkeys(measured, given)
        return tuple(
            Normalized(column=c, spellings=tuple(map(Spelling, ways[c]))) for c in measured if c in ways
        )

    def acceptance_of(self, columns: Collection[str], tells: str | None = None) -> Acceptance | None:
        """Return what a person accepted of exactly these columns.

        Args:
            columns: One published column, or two that tell something together, in any order.
            tells: The QID that they tell; None asks for what the column gives away by itself.

        Returns:
            The acceptance; None where nobody accepted it.

        Raises:
            TypeError: When a column is no text that could be a name.

        Example:
            >>> from qidguard.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> fields["accepted"] = [{"columns": ["year"], "tells": "age", "reason": "it is public anyway"}]
            >>> policy = load_policy(fields)
            >>> policy.acceptance_of(["year"], "age").reason, policy.acceptance_of(["year"])
            ('it is public anyway', None)
        """
        wanted = frozenset(columns)
        return next((a for a in self.accepted if frozenset(a.columns) == wanted and a.tells == tells), None)

    def all_combinations(self, quasi_identifiers: tuple[str, ...]) -> tuple[Combination, ...]:
        """Return what is measured: the main combination, named ``default``, and then the others.

        Each carries its own thresholds and the preset's, so that a policy cannot be laxer than its preset.
        An attacker who knows any m of fewer than m QIDs knows all of them.

        Args:
            quasi_identifiers: The QIDs of the main combination, as decided by the policy or by recognizers.

        Returns:
            At least one combination.

        Raises:
            PolicyError: when there is no QID.

        Example:
            >>> from qidguard.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> [c.name for c in load_policy(fields).all_combinations(("age",))]
            ['default']
        """
        if not quasi_identifiers:
            sentence = "roles.quasi_identifiers finds no column; name at least one"
            raise self.error(sentence, "roles", "quasi_identifiers")
        attacker = self.attacker
        if not isinstance(attacker, str) and attacker.knows_any > len(quasi_identifiers):
            attacker = "all"
        main = Combination(
            name="default",
            quasi_identifiers=quasi_identifiers,
            attacker=attacker,
            thresholds=self.thresholds,
        )
        return tuple(self._with_preset(combination) for combination in (main, *self.combinations))

    def path_of_column(self, column: str) -> FieldPath:
        """Return the path of the first place that names ``column``.

        Args:
            column: A column's name.

        Returns:
            Keys and positions, such as ``("roles", "quasi_identifiers", 0)``; empty where no place names it.

        Units:
            Positions, counted from 0.

        Raises:
            TypeError: When ``column`` is no text.

        Example:
            >>> from qidguard.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> load_policy(fields).path_of_column("age")
            ('roles', 'quasi_identifiers', 0)
        """
        for _, path, name in self.roles.places():
            if name == column:
                return path
        for at, combination in enumerate(self.combinations):
            if column in combination.quasi_identifiers:
                position = combination.quasi_identifiers.index(column)
                return ("combinations", at, "quasi_identifiers", position)
        if column in self.release.drop:
            return ("release", "drop", self.release.drop.index(column))
        for field, of_series in () if self.series is None else self.series.places():
            if of_series == column:
                return ("series", field)
        sections: tuple[tuple[FieldPath, Collection[str]], ...] = (
            (("evidence", "columns"), self.evidence.columns),
            (("hierarchies",), self.hierarchies),
            (("kinds",), self.kinds),
            (("order",), self.order),
            (("remedy", "recode"), self._recoded),
        )
        found = next(((*path, column) for path, columns in sections if column in columns), None)
        return path_among(self.accepted, column) if found is None else found

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; a changed one is no longer what was written, so it has a digest of its own.

        Example:
            >>> from qidguard.policy import parse_policy
            >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
            >>> policy = parse_policy(text)
            >>> policy.model_copy(update={"name": "q"}).digest == policy.digest
            False
        """
        copied = super().model_copy(update=update, deep=deep)
        if update:
            copied._origin = Origin()  # noqa: SLF001 - it is our own, of the copy
        return copied

    def narrowed(self, update: Mapping[str, Any], whole: "Policy | None" = None) -> Self:
        """Return a copy that judges a table with fewer columns, and goes by the digest of the whole.

        The whole is this policy, or ``whole`` where that is what was written.

        Example:
            >>> from qidguard.policy import parse_policy
            >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
            >>> policy = parse_policy(text)
            >>> policy.narrowed({"sampling_fraction": None}).digest == policy.digest
            True
        """
        copied = self.model_copy(update=update)
        digest = (whole or self).digest
        copied._origin = replace(self._origin, digest=digest)  # noqa: SLF001 - it is our own, of the copy
        return copied

    @property
    def text(self) -> str:
        """The text as it was written; empty for a policy that has none, or was changed.

        Example:
            >>> from qidguard.policy import parse_policy
            >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
            >>> parse_policy(text).text == text
            True
        """
        return self._origin.text

    @property
    def digest(self) -> str:
        """SHA-256 of the policy's text, hex; of its JSON form where it never was text.

        That form leaves out what is as it is by default, so that a later version, which knows more optional
        fields, gives the same mapping the same digest: exceptions are bound to it.

        Example:
            >>> from qidguard.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> load_policy(fields).digest == load_policy(fields | {"unnamed_columns": "block"}).digest
            True
        """
        return self._origin.digest or value_digest(self.model_dump(mode="json", exclude_defaults=True))

    def resolve(self, path: str) -> str:
        """Return a path that is written in the policy, as seen from here: relative to the policy's file.

        Example:
            >>> from qidguard.policy import parse_policy
            >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
            >>> parse_policy(text, "policies/visits.yaml").resolve("visits.csv")
            'policies/visits.csv'
        """
        return path if "://" in path else str(Path(self._origin.name).parent / expanded(path))

    @property
    def file(self) -> str | None:
        """The file that holds the text, as the user named it; None for a policy without a text."""
        return self._origin.name if self._origin.digest else None

    def line_of(self, *path: str | int) -> int | None:
        """Return the line of a field, such as ``"thresholds", 0``.

        Example:
            >>> from qidguard.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> load_policy(fields).line_of("name") is None
            True
        """
        return self._origin.line_of(path)

    def error(self, sentence: str, *path: str | int) -> PolicyError:
        """Return a PolicyError that says ``sentence`` at the line of a field.

        Example:
            >>> from qidguard.policy import load_policy
            >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
            >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
            >>> str(load_policy(fields).error("it is too old", "name"))
            'policy: it is too old'
        """
        return self._origin.error([Complaint(path=path, sentence=sentence)])

    def _with_preset(self, combination: Combination) -> Combination:
        added = tuple(t for t in self.preset_thresholds if t not in combination.thresholds)
        return combination.model_copy(update={"thresholds": (*combination.thresholds, *added)})
