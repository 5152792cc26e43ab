"""A task of the gate that judges a table by a policy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.interfaces.airflow.operators.gate import UNSAID, GateOperator
from qidguard.interfaces.airflow.place import address, is_left_out, resolved

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard.policy import Policy


class TableOperator(GateOperator):
    """A task that judges a table.

    Args:
        policy: The policy's file (templated); a relative path is looked up beside the file of the DAG.
        source: The table's path or URL (templated), likewise; None, or a template that renders to nothing,
            takes the policy's ``source.path``. A table itself is refused: nothing but addresses pass between
            tasks.
        kwargs: What ``GateOperator`` takes.
    """

    template_fields: Sequence[str] = ("policy", "source", *GateOperator.template_fields)

    def __init__(self, *, policy: Any, source: Any = UNSAID, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.policy = address(self.said("policy", policy), "policy")
        source = self.said("source", source)
        self.source = None if is_left_out(source) else address(source, "source")

    def table(self, context: "Context") -> "tuple[Policy, str, str]":
        """Return the policy, its path and the table's address, as they are found from here."""
        from qidguard.policy import load_policy

        folder = context["dag"].folder
        path = resolved(folder, self.policy, "policy")
        rules = load_policy(path)
        is_given = not is_left_out(self.source)
        source = resolved(folder, self.source, "source") if is_given else rules.source_path
        if source is None:
            raise UserError(
                f"There is no table; give source=, or write source: path: in the policy {path!r}."
            )
        return rules, path, source
