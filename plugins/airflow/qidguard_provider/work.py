"""What a task of the gate does, apart from Airflow: the same in the task and in a process of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard import UserError

if TYPE_CHECKING:
    from qidguard import Policy
    from qidguard.sdk import Recorded, RunOptions
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
        from qidguard import load_policy
        from qidguard.sdk import reaudit
        from qidguard_provider.verdicts import of_recorded

        rules = load_policy(self.policy)
        if self.kind == "reaudit":
            asked: RunOptions = {**options, "has_advice": False}
            made = reaudit(str(self.data_set), str(self.release_id), policy=rules, **asked)
            return of_recorded(made, rules, self.policy, None)
        source = rules.source_path if self.source is None else self.source
        if source is None and not rules.tables:
            raise UserError(
                f"There is no table; give source=, or write source: path: in the policy {self.policy!r}."
            )
        return of_recorded(self._recorded(rules, source, options), rules, self.policy, source)

    def _recorded(self, rules: "Policy", source: str | None, options: "RunOptions") -> "Recorded":
        from qidguard import release
        from qidguard.sdk import check, write_remedied

        if self.kind == "audit":
            return check(source, policy=rules, data_set=self.data_set, **options)
        if self.kind == "anonymize":
            to = str(self.to)
            return write_remedied(source, policy=rules, to=to, data_set=self.data_set, **options)
        return release(
            source,
            policy=rules,
            to=self.to,
            data_set=self.data_set,
            release_id=self.release_id,
            **options,
        )
