"""What a task of the gate does, apart from Airflow: the same in the task and in a process of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from qidguard.policy import Policy
    from qidguard.releasing.context import RunOptions
    from qidguard_provider.verdicts import Judged


@dataclass(frozen=True, kw_only=True)
class TaskWork:
    """One piece of work on a table or a release, with every address as it is found from anywhere.

    Args:
        kind: ``audit``, ``release``, ``anonymize`` or ``reaudit``.
        policy: The policy's path.
        source: The table's path or URL; None takes the policy's.
        to: Where it goes; None takes the policy's destination.
        data_set: The data set's name; None takes the policy's or the file's.
        release_id: The release's own name.
        origin: Which run of which task asks for it; the ledger keeps it.
    """

    kind: str
    policy: str
    source: str | None = field(default=None, repr=False)
    to: str | None = field(default=None, repr=False)
    data_set: str | None = None
    release_id: str | None = None
    origin: Mapping[str, str]

    def done(self, options: "RunOptions") -> "Judged":
        """Do it and return what was found."""
        from qidguard.policy import load_policy

        rules = load_policy(self.policy)
        if self.kind == "reaudit":
            return self._reaudit(rules, options)
        source = rules.source_path if self.source is None else self.source
        if source is None and not rules.tables:
            raise UserError(
                f"There is no table; give source=, or write source: path: in the policy {self.policy!r}."
            )
        kinds = {"audit": self._audit, "release": self._release, "anonymize": self._anonymize}
        return kinds[self.kind](rules, source, options)

    def _audit(self, rules: "Policy", source: str | None, options: "RunOptions") -> "Judged":
        from qidguard.releasing.deciding.check import check
        from qidguard_provider.verdicts import of_check

        recorded = check(source, policy=rules, data_set=self.data_set, **_with_advice(options))
        return of_check(recorded, self.policy, _label(source, rules))

    def _release(self, rules: "Policy", source: str | None, options: "RunOptions") -> "Judged":
        from qidguard.releasing.run import release
        from qidguard_provider.verdicts import of_release

        made = release(
            source,
            policy=rules,
            to=self.to,
            data_set=self.data_set,
            release_id=self.release_id,
            **_with_advice(options),
        )
        return of_release(made, rules, self.policy, _label(source, rules))

    def _anonymize(self, rules: "Policy", source: str | None, options: "RunOptions") -> "Judged":
        from qidguard.releasing.deciding.remedied import write_remedied
        from qidguard_provider.verdicts import of_anonymization

        asked = _with_advice(options)
        made = write_remedied(source, policy=rules, to=str(self.to), data_set=self.data_set, **asked)
        return of_anonymization(made, self.policy, _label(source, rules))

    def _reaudit(self, rules: "Policy", options: "RunOptions") -> "Judged":
        from qidguard.releasing.reaudit.reaudit import reaudit
        from qidguard_provider.verdicts import of_check

        recorded = reaudit(str(self.data_set), str(self.release_id), policy=rules, **options)
        return of_check(recorded, self.policy, None if recorded.report is None else recorded.report.source)


def _with_advice(options: "RunOptions") -> "RunOptions":
    """Return what the host is told: advice is recorded where a run is blocked, unless it is switched off."""
    from qidguard.interfaces.advice_output import is_switched_on

    return {**options, "has_advice": is_switched_on()}


def _label(source: str | None, rules: "Policy") -> str:
    """Return what the table is called, without secrets; of several tables, their names."""
    from qidguard.auditing.context import source_label, source_of

    return source_label(source_of(source, rules))
