"""qidguard decides whether a table of personal data may be published.

The names below are the public ones. Whatever is heavy is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qidguard.core.changes import Changes, ColumnSource
from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.column_values import ColumnValues, Original, PublishedValue, Recoded
from qidguard.core.discovery_task import DiscoveryTask
from qidguard.core.errors import (
    DataError,
    ExitCode,
    InternalError,
    NotMeasurable,
    PluginError,
    PolicyError,
    QidguardError,
    UserError,
)
from qidguard.core.grouping import Grouping
from qidguard.core.history import History, JointClasses, PublishedColumn
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Direction, Explanation, GroupBy, Metric, OverTime, TableFunction, Unit
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.progress import Progress
from qidguard.core.published import interval_text, set_text
from qidguard.core.recogniser import Recogniser, RoleProposal, SearchingRecogniser
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.core.score import RecognitionScore
from qidguard.core.statistic import ClassValue, RowSource, Statistic, StatisticValues, exact_sum
from qidguard.core.view import Cells, Codes, TableView
from qidguard.hookspecs import hookimpl

if TYPE_CHECKING:
    from qidguard.anonymize.attack import Attack, Attacked, AttackResult, Rate
    from qidguard.anonymize.coverage.coverage import Coverage
    from qidguard.anonymize.coverage.reading import read_coverage
    from qidguard.anonymize.hierarchy import (
        automatic_hierarchy,
        date_hierarchy,
        interval_hierarchy,
        load_hierarchy,
        prefix_hierarchy,
        taxonomy_hierarchy,
    )
    from qidguard.anonymize.protocol import (
        Anonymised,
        Anonymiser,
        Guarantee,
        PrivacyCost,
        Records,
        Target,
        Task,
    )
    from qidguard.anonymize.receipt import Receipt
    from qidguard.auditing import Audit, audit
    from qidguard.comparing.compare import compare
    from qidguard.comparing.comparison import Comparison
    from qidguard.comparing.row import MethodRow
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.policy import Policy, load_policy
    from qidguard.core.report import AuditReport
    from qidguard.core.verdict import Bound, Limit
    from qidguard.engines.base import (
        Engine,
        EngineSettings,
        KeyedClasses,
        Needs,
        ReadOptions,
        Snapshot,
        Table,
    )
    from qidguard.measure.figure import Figure
    from qidguard.measure.grouped import GroupedRecords
    from qidguard.measure.minimal_sample_uniques import (
        MinimalSampleUniques,
        find_minimal_sample_uniques,
        minimal_sample_uniques,
        sample_unique_rows,
    )
    from qidguard.measure.plan import SubsetPlan
    from qidguard.measure.subset_measurer import SubsetMeasurer
    from qidguard.measure.subset_table import SubsetTable
    from qidguard.measure.unique_combinations import minimal_unique_combinations
    from qidguard.releasing.anonymising import anonymise
    from qidguard.releasing.prepare import Wishes
    from qidguard.releasing.result import Release
    from qidguard.releasing.run import release
    from qidguard.releasing.trial import Trial
    from qidguard.search.objective import Objective, Term
    from qidguard.search.protocol import (
        Evaluation,
        Finish,
        Moment,
        Problem,
        SearchResult,
        SearchStrategy,
        StoppedBy,
    )
    from qidguard.search.search_plot import SearchPlot

_LATE = {
    name: module
    for module, names in {
        "qidguard.anonymize.attack": "Attack AttackResult Attacked Rate",
        "qidguard.anonymize.coverage.coverage": "Coverage",
        "qidguard.anonymize.coverage.reading": "read_coverage",
        "qidguard.anonymize.hierarchy": (
            "automatic_hierarchy date_hierarchy interval_hierarchy load_hierarchy prefix_hierarchy "
            "taxonomy_hierarchy"
        ),
        "qidguard.anonymize.protocol": "Anonymised Anonymiser Guarantee PrivacyCost Records Target Task",
        "qidguard.anonymize.receipt": "Receipt",
        "qidguard.auditing": "Audit audit",
        "qidguard.comparing.compare": "compare",
        "qidguard.comparing.comparison": "Comparison",
        "qidguard.comparing.row": "MethodRow",
        "qidguard.core.hierarchy": "Hierarchy",
        "qidguard.core.policy": "Policy load_policy",
        "qidguard.core.report": "AuditReport",
        "qidguard.core.verdict": "Bound Limit",
        "qidguard.discovering.discover": "discover discover_in",
        "qidguard.discovering.discovery": "Discovery",
        "qidguard.engines.base": "Engine EngineSettings KeyedClasses Needs ReadOptions Snapshot Table",
        "qidguard.measure.figure": "Figure",
        "qidguard.measure.grouped": "GroupedRecords",
        "qidguard.measure.minimal_sample_uniques": (
            "MinimalSampleUniques find_minimal_sample_uniques minimal_sample_uniques sample_unique_rows"
        ),
        "qidguard.measure.plan": "SubsetPlan",
        "qidguard.measure.subset_measurer": "SubsetMeasurer",
        "qidguard.measure.subset_table": "SubsetTable",
        "qidguard.measure.unique_combinations": "minimal_unique_combinations",
        "qidguard.plot.plot": "Plot",
        "qidguard.releasing.anonymising": "anonymise",
        "qidguard.releasing.prepare": "Wishes",
        "qidguard.releasing.result": "Release",
        "qidguard.releasing.run": "release",
        "qidguard.releasing.trial": "Trial",
        "qidguard.search.objective": "Objective Term",
        "qidguard.search.protocol": "Evaluation Finish Moment Problem SearchResult SearchStrategy StoppedBy",
        "qidguard.search.run": "run_search",
        "qidguard.search.search_plot": "SearchPlot",
    }.items()
    for name in names.split()
}

__all__ = [
    "Anonymised",
    "Anonymiser",
    "Arguments",
    "Attack",
    "AttackResult",
    "Attacked",
    "Audit",
    "AuditReport",
    "Bound",
    "Cells",
    "Changes",
    "ClassValue",
    "Codes",
    "ColumnFacts",
    "ColumnSource",
    "ColumnValues",
    "Comparison",
    "Coverage",
    "DataError",
    "DecidedBy",
    "Direction",
    "Discovery",
    "DiscoveryTask",
    "Engine",
    "EngineSettings",
    "Evaluation",
    "ExitCode",
    "Explanation",
    "Figure",
    "Finish",
    "GroupBy",
    "GroupedRecords",
    "Grouping",
    "Guarantee",
    "Hierarchy",
    "History",
    "InternalError",
    "JointClasses",
    "KeyedClasses",
    "Limit",
    "Measurement",
    "MethodRow",
    "Metric",
    "MinimalSampleUniques",
    "Moment",
    "Needs",
    "NotMeasurable",
    "Objective",
    "Original",
    "OverTime",
    "Parameter",
    "Plot",
    "PluginError",
    "Policy",
    "PolicyError",
    "PrivacyCost",
    "Problem",
    "Progress",
    "PublishedColumn",
    "PublishedValue",
    "QidguardError",
    "Rate",
    "ReadOptions",
    "Receipt",
    "Recoded",
    "Recogniser",
    "RecognitionScore",
    "Records",
    "Release",
    "Role",
    "RoleAssignment",
    "RoleProposal",
    "RowSource",
    "SearchPlot",
    "SearchResult",
    "SearchStrategy",
    "SearchingRecogniser",
    "Snapshot",
    "Statistic",
    "StatisticValues",
    "StoppedBy",
    "SubsetMeasurer",
    "SubsetPlan",
    "SubsetTable",
    "Table",
    "TableFunction",
    "TableView",
    "Target",
    "Task",
    "Term",
    "Trial",
    "Unit",
    "UserError",
    "ValueType",
    "Wishes",
    "anonymise",
    "audit",
    "automatic_hierarchy",
    "compare",
    "date_hierarchy",
    "discover",
    "discover_in",
    "exact_sum",
    "find_minimal_sample_uniques",
    "hookimpl",
    "interval_hierarchy",
    "interval_text",
    "load_hierarchy",
    "load_policy",
    "minimal_sample_uniques",
    "minimal_unique_combinations",
    "prefix_hierarchy",
    "read_coverage",
    "release",
    "run_search",
    "sample_unique_rows",
    "set_text",
    "taxonomy_hierarchy",
]


def __getattr__(name: str) -> Any:
    """Import a heavy name when it is first used."""
    if name not in _LATE:
        raise AttributeError(f"module 'qidguard' has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
