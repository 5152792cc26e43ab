"""What plugins are made of: metrics, statistics, recognizers, strategies, anonymizers, attacks and engines.

Runs that are recorded, with their ledger and keys, are for doors. A plugin imports these names, those of
``qidguard``, and nothing else of it; in its tests also the conformance kit.
"""

from typing import TYPE_CHECKING

from qidguard.lazy import lazy_names

if TYPE_CHECKING:
    from qidguard.anonymizing.attack import Attack as Attack
    from qidguard.anonymizing.attack import Attacked as Attacked
    from qidguard.anonymizing.attack import AttackResult as AttackResult
    from qidguard.anonymizing.attack import Rate as Rate
    from qidguard.anonymizing.choosing import front_of as front_of
    from qidguard.anonymizing.choosing import knee_of as knee_of
    from qidguard.anonymizing.class_numbers import class_numbers as class_numbers
    from qidguard.anonymizing.coverage.coverage import Coverage as Coverage
    from qidguard.anonymizing.coverage.reading import read_coverage as read_coverage
    from qidguard.anonymizing.hierarchy.assembling import prefix_hierarchy as prefix_hierarchy
    from qidguard.anonymizing.hierarchy.automatic import automatic_hierarchy as automatic_hierarchy
    from qidguard.anonymizing.hierarchy.dates import date_hierarchy as date_hierarchy
    from qidguard.anonymizing.hierarchy.dates import day_numbers as day_numbers
    from qidguard.anonymizing.hierarchy.file import load_hierarchy as load_hierarchy
    from qidguard.anonymizing.hierarchy.intervals import interval_hierarchy as interval_hierarchy
    from qidguard.anonymizing.hierarchy.ready import ready_hierarchy as ready_hierarchy
    from qidguard.anonymizing.hierarchy.taxonomy import taxonomy_hierarchy as taxonomy_hierarchy
    from qidguard.anonymizing.protocol import NEVER_SHOWN as NEVER_SHOWN
    from qidguard.anonymizing.protocol import UNKNOWN as UNKNOWN
    from qidguard.anonymizing.protocol import AnonymizationTask as AnonymizationTask
    from qidguard.anonymizing.protocol import Anonymized as Anonymized
    from qidguard.anonymizing.protocol import Anonymizer as Anonymizer
    from qidguard.anonymizing.protocol import EarlierPersons as EarlierPersons
    from qidguard.anonymizing.protocol import Guarantee as Guarantee
    from qidguard.anonymizing.protocol import NewTable as NewTable
    from qidguard.anonymizing.protocol import PolicyLimit as PolicyLimit
    from qidguard.anonymizing.protocol import Records as Records
    from qidguard.anonymizing.protocol import Solution as Solution
    from qidguard.anonymizing.protocol import SolutionFigure as SolutionFigure
    from qidguard.anonymizing.protocol import Solutions as Solutions
    from qidguard.anonymizing.protocol import changeable_columns as changeable_columns
    from qidguard.anonymizing.protocol import new_values as new_values
    from qidguard.anonymizing.receipt import Receipt as Receipt
    from qidguard.anonymizing.rehearsed_table import RehearsedTable as RehearsedTable
    from qidguard.anonymizing.short_sets import LARGEST_SET as LARGEST_SET
    from qidguard.anonymizing.short_sets import ShortSets as ShortSets
    from qidguard.anonymizing.short_sets import readable_hierarchy as readable_hierarchy
    from qidguard.anonymizing.weighing import HeldLimit as HeldLimit
    from qidguard.auditing import Audit as Audit
    from qidguard.auditing import audit as audit
    from qidguard.auditing.demands import Demand as Demand
    from qidguard.auditing.demands import demands as demands
    from qidguard.auditing.run import open_table as open_table
    from qidguard.core.address import secrets_in as secrets_in
    from qidguard.core.address import shown_address as shown_address
    from qidguard.core.choice import Choice as Choice
    from qidguard.core.class_sizes import ClassSizes as ClassSizes
    from qidguard.core.class_sizes import Preprocessing as Preprocessing
    from qidguard.core.column import ColumnFacts as ColumnFacts
    from qidguard.core.column import ColumnValues as ColumnValues
    from qidguard.core.column import Original as Original
    from qidguard.core.column import PublishedValue as PublishedValue
    from qidguard.core.column import Recoded as Recoded
    from qidguard.core.column import ValueType as ValueType
    from qidguard.core.column import published_number as published_number
    from qidguard.core.command import Command as Command
    from qidguard.core.command import StarterFiles as StarterFiles
    from qidguard.core.content import ColumnShape as ColumnShape
    from qidguard.core.content import Look as Look
    from qidguard.core.content_tests import ContentTest as ContentTest
    from qidguard.core.errors import DataError as DataError
    from qidguard.core.errors import DeclarationError as DeclarationError
    from qidguard.core.errors import ExitCode as ExitCode
    from qidguard.core.errors import InternalError as InternalError
    from qidguard.core.errors import NotMeasurable as NotMeasurable
    from qidguard.core.errors import PluginError as PluginError
    from qidguard.core.errors import PolicyError as PolicyError
    from qidguard.core.errors import QidguardError as QidguardError
    from qidguard.core.errors import UserError as UserError
    from qidguard.core.hierarchy import Hierarchy as Hierarchy
    from qidguard.core.hierarchy import interval_text as interval_text
    from qidguard.core.hierarchy import set_text as set_text
    from qidguard.core.kind import ColumnKind as ColumnKind
    from qidguard.core.kind import Sensitivity as Sensitivity
    from qidguard.core.kind import Tier as Tier
    from qidguard.core.leaks import Leak as Leak
    from qidguard.core.leaks import LeakCheck as LeakCheck
    from qidguard.core.leaks import Leaks as Leaks
    from qidguard.core.leaks import LeakTask as LeakTask
    from qidguard.core.leaks import Unexamined as Unexamined
    from qidguard.core.measurement import Estimate as Estimate
    from qidguard.core.measurement import Interval as Interval
    from qidguard.core.measurement import Measurement as Measurement
    from qidguard.core.metric import Direction as Direction
    from qidguard.core.metric import Explanation as Explanation
    from qidguard.core.metric import GroupBy as GroupBy
    from qidguard.core.metric import Metric as Metric
    from qidguard.core.metric import OverTime as OverTime
    from qidguard.core.metric import TableFunction as TableFunction
    from qidguard.core.metric import Unit as Unit
    from qidguard.core.new_table import NewTableFacts as NewTableFacts
    from qidguard.core.new_table import NewTableKind as NewTableKind
    from qidguard.core.number_format import NumberFormat as NumberFormat
    from qidguard.core.order import OrderedBy as OrderedBy
    from qidguard.core.order import ValueOrder as ValueOrder
    from qidguard.core.outside import Alone as Alone
    from qidguard.core.outside import Drawn as Drawn
    from qidguard.core.outside import RestView as RestView
    from qidguard.core.parameter import Arguments as Arguments
    from qidguard.core.parameter import Parameter as Parameter
    from qidguard.core.parameter import bind as bind
    from qidguard.core.privacy import NoisedPart as NoisedPart
    from qidguard.core.privacy import PrivacyCost as PrivacyCost
    from qidguard.core.privacy import PrivacyGuarantee as PrivacyGuarantee
    from qidguard.core.privacy import ProtectedUnit as ProtectedUnit
    from qidguard.core.progress import Progress as Progress
    from qidguard.core.recognizer import ContentRecognizer as ContentRecognizer
    from qidguard.core.recognizer import DiscoveryTask as DiscoveryTask
    from qidguard.core.recognizer import Evidence as Evidence
    from qidguard.core.recognizer import ExtendableRecognizer as ExtendableRecognizer
    from qidguard.core.recognizer import KindProposal as KindProposal
    from qidguard.core.recognizer import KindRecognizer as KindRecognizer
    from qidguard.core.recognizer import RecognitionScore as RecognitionScore
    from qidguard.core.recognizer import Recognizer as Recognizer
    from qidguard.core.recognizer import RoleProposal as RoleProposal
    from qidguard.core.recognizer import SearchingRecognizer as SearchingRecognizer
    from qidguard.core.report import AuditReport as AuditReport
    from qidguard.core.result_table import Cell as Cell
    from qidguard.core.result_table import ResultTable as ResultTable
    from qidguard.core.role import DecidedBy as DecidedBy
    from qidguard.core.role import Role as Role
    from qidguard.core.role import RoleAssignment as RoleAssignment
    from qidguard.core.spelling import Spelling as Spelling
    from qidguard.core.spelling import Variants as Variants
    from qidguard.core.statistic import CLASS_SIZE as CLASS_SIZE
    from qidguard.core.statistic import CLASSES as CLASSES
    from qidguard.core.statistic import DISTINCT_VALUES as DISTINCT_VALUES
    from qidguard.core.statistic import MEMBERSHIPS as MEMBERSHIPS
    from qidguard.core.statistic import PERSONS as PERSONS
    from qidguard.core.statistic import SMALLEST_CLASS as SMALLEST_CLASS
    from qidguard.core.statistic import SUMMED_RISK as SUMMED_RISK
    from qidguard.core.statistic import UNIQUES as UNIQUES
    from qidguard.core.statistic import ClassValue as ClassValue
    from qidguard.core.statistic import RowSource as RowSource
    from qidguard.core.statistic import Statistic as Statistic
    from qidguard.core.statistic import StatisticValues as StatisticValues
    from qidguard.core.statistic import exact_sum as exact_sum
    from qidguard.core.statistic import persons_below as persons_below
    from qidguard.core.statistic import persons_of as persons_of
    from qidguard.core.statistic import value_of as value_of
    from qidguard.core.verdict import Bound as Bound
    from qidguard.core.verdict import Limit as Limit
    from qidguard.core.versions import ORDER_OF_RECORDS as ORDER_OF_RECORDS
    from qidguard.core.versions import Changes as Changes
    from qidguard.core.versions import ColumnSource as ColumnSource
    from qidguard.core.versions import History as History
    from qidguard.core.versions import JointClasses as JointClasses
    from qidguard.core.versions import PublishedColumn as PublishedColumn
    from qidguard.core.view import Cells as Cells
    from qidguard.core.view import Codes as Codes
    from qidguard.core.view import Grouping as Grouping
    from qidguard.core.view import TableView as TableView
    from qidguard.discovering.discover import discover as discover
    from qidguard.discovering.discover import discover_in as discover_in
    from qidguard.discovering.discovery import Discovery as Discovery
    from qidguard.engines.base import WORDS_OF_FILES as WORDS_OF_FILES
    from qidguard.engines.base import WORDS_OF_VALUES as WORDS_OF_VALUES
    from qidguard.engines.base import Engine as Engine
    from qidguard.engines.base import EngineSettings as EngineSettings
    from qidguard.engines.base import KeyedClasses as KeyedClasses
    from qidguard.engines.base import Needs as Needs
    from qidguard.engines.base import ReadOptions as ReadOptions
    from qidguard.engines.base import Snapshot as Snapshot
    from qidguard.engines.base import Table as Table
    from qidguard.engines.duckdb.connection import database_frame as database_frame
    from qidguard.engines.duckdb.sources.staged import check_names as check_names
    from qidguard.engines.sql.identifier import quote as quote
    from qidguard.host import load_host as load_host
    from qidguard.host.hookspecs import hookimpl as hookimpl
    from qidguard.interfaces.batch_judging import BatchAnswer as BatchAnswer
    from qidguard.interfaces.batch_judging import BatchQuestion as BatchQuestion
    from qidguard.interfaces.batch_judging import BatchSource as BatchSource
    from qidguard.interfaces.batch_judging import judge_batch as judge_batch
    from qidguard.interfaces.cli import run_command as run_command
    from qidguard.interfaces.method_request import MethodRequest as MethodRequest
    from qidguard.interfaces.method_request import method_options as method_options
    from qidguard.interfaces.reading import Reading as Reading
    from qidguard.interfaces.reading import listed_names as listed_names
    from qidguard.interfaces.reading import reading_options as reading_options
    from qidguard.interfaces.result_output import ResultOutput as ResultOutput
    from qidguard.interfaces.result_output import document_options as document_options
    from qidguard.interfaces.result_output import output_options as output_options
    from qidguard.interfaces.result_output import seed_option as seed_option
    from qidguard.interfaces.run_access import RunAccess as RunAccess
    from qidguard.interfaces.starter.writing import write_texts as write_texts
    from qidguard.ledger.payloads import PolicyUsed as PolicyUsed
    from qidguard.measuring.cost import SubsetPlan as SubsetPlan
    from qidguard.measuring.grouped import GroupedRecords as GroupedRecords
    from qidguard.measuring.memory_records import MemoryRecords as MemoryRecords
    from qidguard.measuring.minimal_sample_uniques import MinimalSampleUniques as MinimalSampleUniques
    from qidguard.measuring.minimal_sample_uniques import (
        find_minimal_sample_uniques as find_minimal_sample_uniques,
    )
    from qidguard.measuring.minimal_sample_uniques import minimal_sample_uniques as minimal_sample_uniques
    from qidguard.measuring.minimal_sample_uniques import (
        minimal_unique_combinations as minimal_unique_combinations,
    )
    from qidguard.measuring.minimal_sample_uniques import sample_unique_rows as sample_unique_rows
    from qidguard.measuring.question import Question as Question
    from qidguard.measuring.subset_measurer import SubsetFigures as SubsetFigures
    from qidguard.measuring.subset_measurer import SubsetMeasurer as SubsetMeasurer
    from qidguard.plot.plot import Plot as Plot
    from qidguard.policy import Policy as Policy
    from qidguard.policy import did_you_mean as did_you_mean
    from qidguard.policy import load_policy as load_policy
    from qidguard.policy import parse_policy as parse_policy
    from qidguard.policy.origin import value_digest as value_digest
    from qidguard.releasing.context import RunOptions as RunOptions
    from qidguard.releasing.context import policy_data_set as policy_data_set
    from qidguard.releasing.deciding.approve import AuditAnswer as AuditAnswer
    from qidguard.releasing.deciding.approve import approve_audit as approve_audit
    from qidguard.releasing.deciding.check import check as check
    from qidguard.releasing.deciding.check import write_remedied as write_remedied
    from qidguard.releasing.deciding.checked_entry import ReachedVerdict as ReachedVerdict
    from qidguard.releasing.deciding.checked_entry import record_verdicts as record_verdicts
    from qidguard.releasing.history.overview import LONGEST_TREND as LONGEST_TREND
    from qidguard.releasing.history.overview import DataSetOverview as DataSetOverview
    from qidguard.releasing.history.overview import Judgment as Judgment
    from qidguard.releasing.history.overview import RunStatus as RunStatus
    from qidguard.releasing.history.published import is_recorded as is_recorded
    from qidguard.releasing.history.view import LedgerView as LedgerView
    from qidguard.releasing.history.view import RecordedAudit as RecordedAudit
    from qidguard.releasing.reaudit.reaudit import reaudit as reaudit
    from qidguard.releasing.result import Recorded as Recorded
    from qidguard.rendering.figure import figure_words as figure_words
    from qidguard.rendering.figure import limit_figure as limit_figure
    from qidguard.rendering.printable import shown_name as shown_name
    from qidguard.rendering.printable import visible as visible
    from qidguard.rendering.result_page import PageRow as PageRow
    from qidguard.rendering.result_page import ResultPage as ResultPage
    from qidguard.rendering.result_table import result_lines as result_lines
    from qidguard.rendering.threshold import listed_figure as listed_figure
    from qidguard.rendering.threshold import threshold_words as threshold_words
    from qidguard.search.objective import Objective as Objective
    from qidguard.search.objective import Term as Term
    from qidguard.search.protocol import Evaluation as Evaluation
    from qidguard.search.protocol import Problem as Problem
    from qidguard.search.protocol import SearchPlot as SearchPlot
    from qidguard.search.protocol import SearchResult as SearchResult
    from qidguard.search.protocol import SearchStep as SearchStep
    from qidguard.search.protocol import SearchStrategy as SearchStrategy
    from qidguard.search.protocol import SetChoice as SetChoice
    from qidguard.search.protocol import StoppedBy as StoppedBy
    from qidguard.search.protocol import Termination as Termination
    from qidguard.search.run import run_search as run_search
    from qidguard.trials.methods import MethodTrials as MethodTrials
    from qidguard.trials.methods import TriedMethod as TriedMethod
    from qidguard.trials.methods import WeighedMethod as WeighedMethod
    from qidguard.trials.plugin_trial import TrialRun as TrialRun
    from qidguard.trials.plugin_trial import TrialTable as TrialTable
    from qidguard.trials.receipt_document import part_document as part_document
    from qidguard.trials.rehearsing import PolicyRehearsal as PolicyRehearsal
    from qidguard.trials.rehearsing import k_anonymity_task as k_anonymity_task
    from qidguard.trials.rehearsing import policy_limit as policy_limit
    from qidguard.trials.rehearsing import records_of as records_of
    from qidguard.trials.rehearsing import rehearse as rehearse
    from qidguard.trials.rehearsing import rehearse_several as rehearse_several

_HOMES = {
    "qidguard.anonymizing.attack": "Attack AttackResult Attacked Rate",
    "qidguard.anonymizing.class_numbers": "class_numbers",
    "qidguard.anonymizing.coverage.coverage": "Coverage",
    "qidguard.anonymizing.coverage.reading": "read_coverage",
    "qidguard.anonymizing.choosing": "front_of knee_of",
    "qidguard.anonymizing.hierarchy.assembling": "prefix_hierarchy",
    "qidguard.anonymizing.hierarchy.automatic": "automatic_hierarchy",
    "qidguard.anonymizing.hierarchy.dates": "date_hierarchy day_numbers",
    "qidguard.anonymizing.hierarchy.file": "load_hierarchy",
    "qidguard.anonymizing.hierarchy.intervals": "interval_hierarchy",
    "qidguard.anonymizing.hierarchy.ready": "ready_hierarchy",
    "qidguard.anonymizing.hierarchy.taxonomy": "taxonomy_hierarchy",
    "qidguard.anonymizing.protocol": (
        "AnonymizationTask Anonymized Anonymizer EarlierPersons Guarantee NEVER_SHOWN NewTable PolicyLimit"
        " Records Solution SolutionFigure Solutions UNKNOWN changeable_columns new_values"
    ),
    "qidguard.anonymizing.receipt": "Receipt",
    "qidguard.anonymizing.rehearsed_table": "RehearsedTable",
    "qidguard.anonymizing.short_sets": "LARGEST_SET ShortSets readable_hierarchy",
    "qidguard.anonymizing.weighing": "HeldLimit",
    "qidguard.auditing": "Audit audit",
    "qidguard.auditing.run": "open_table",
    "qidguard.trials.methods": "MethodTrials TriedMethod WeighedMethod",
    "qidguard.trials.receipt_document": "part_document",
    "qidguard.core.choice": "Choice",
    "qidguard.interfaces.method_request": "MethodRequest method_options",
    "qidguard.trials.plugin_trial": "TrialRun TrialTable",
    "qidguard.trials.rehearsing": (
        "PolicyRehearsal k_anonymity_task policy_limit records_of rehearse rehearse_several"
    ),
    "qidguard.core.versions": "ORDER_OF_RECORDS Changes ColumnSource History JointClasses PublishedColumn",
    "qidguard.core.content": "ColumnShape Look",
    "qidguard.core.content_tests": "ContentTest",
    "qidguard.core.class_sizes": "ClassSizes Preprocessing",
    "qidguard.core.command": "Command StarterFiles",
    "qidguard.core.column": (
        "ColumnFacts ColumnValues Original PublishedValue Recoded ValueType published_number"
    ),
    "qidguard.core.recognizer": (
        "ContentRecognizer DiscoveryTask Evidence ExtendableRecognizer KindProposal KindRecognizer"
        " RecognitionScore Recognizer RoleProposal SearchingRecognizer"
    ),
    "qidguard.core.errors": (
        "DataError DeclarationError ExitCode InternalError NotMeasurable PluginError PolicyError"
        " QidguardError UserError"
    ),
    "qidguard.core.view": "Cells Codes Grouping TableView",
    "qidguard.core.leaks": "Leak LeakCheck LeakTask Leaks Unexamined",
    "qidguard.core.measurement": "Estimate Interval Measurement",
    "qidguard.core.hierarchy": "Hierarchy interval_text set_text",
    "qidguard.core.kind": "ColumnKind Sensitivity Tier",
    "qidguard.core.metric": "Direction Explanation GroupBy Metric OverTime TableFunction Unit",
    "qidguard.core.new_table": "NewTableFacts NewTableKind",
    "qidguard.core.number_format": "NumberFormat",
    "qidguard.core.order": "OrderedBy ValueOrder",
    "qidguard.core.parameter": "Arguments Parameter bind",
    "qidguard.core.privacy": "NoisedPart PrivacyCost PrivacyGuarantee ProtectedUnit",
    "qidguard.core.progress": "Progress",
    "qidguard.core.report": "AuditReport",
    "qidguard.core.result_table": "Cell ResultTable",
    "qidguard.core.outside": "Alone Drawn RestView",
    "qidguard.core.role": "DecidedBy Role RoleAssignment",
    "qidguard.core.spelling": "Spelling Variants",
    "qidguard.core.statistic": (
        "CLASSES CLASS_SIZE ClassValue DISTINCT_VALUES MEMBERSHIPS PERSONS RowSource SMALLEST_CLASS"
        " SUMMED_RISK Statistic StatisticValues UNIQUES exact_sum persons_below persons_of value_of"
    ),
    "qidguard.core.verdict": "Bound Limit",
    "qidguard.discovering.discover": "discover discover_in",
    "qidguard.discovering.discovery": "Discovery",
    "qidguard.engines.base": (
        "Engine EngineSettings KeyedClasses Needs ReadOptions Snapshot Table WORDS_OF_FILES WORDS_OF_VALUES"
    ),
    "qidguard.host.hookspecs": "hookimpl",
    "qidguard.interfaces.cli": "run_command",
    "qidguard.interfaces.reading": "Reading listed_names reading_options",
    "qidguard.interfaces.result_output": "ResultOutput document_options output_options seed_option",
    "qidguard.measuring.question": "Question",
    "qidguard.measuring.grouped": "GroupedRecords",
    "qidguard.measuring.memory_records": "MemoryRecords",
    "qidguard.measuring.minimal_sample_uniques": (
        "MinimalSampleUniques find_minimal_sample_uniques minimal_sample_uniques minimal_unique_combinations"
        " sample_unique_rows"
    ),
    "qidguard.measuring.cost": "SubsetPlan",
    "qidguard.measuring.subset_measurer": "SubsetFigures SubsetMeasurer",
    "qidguard.plot.plot": "Plot",
    "qidguard.policy": "Policy did_you_mean load_policy parse_policy",
    "qidguard.rendering.printable": "shown_name visible",
    "qidguard.rendering.result_page": "PageRow ResultPage",
    "qidguard.rendering.result_table": "result_lines",
    "qidguard.search.objective": "Objective Term",
    "qidguard.search.protocol": (
        "Evaluation Problem SearchPlot SearchResult SearchStep SearchStrategy SetChoice StoppedBy Termination"
    ),
    "qidguard.search.run": "run_search",
    "qidguard.core.address": "secrets_in shown_address",
    "qidguard.interfaces.run_access": "RunAccess",
    "qidguard.releasing.context": "RunOptions policy_data_set",
    "qidguard.releasing.deciding.approve": "AuditAnswer approve_audit",
    "qidguard.releasing.deciding.check": "check write_remedied",
    "qidguard.releasing.history.overview": "DataSetOverview Judgment LONGEST_TREND RunStatus",
    "qidguard.releasing.history.published": "is_recorded",
    "qidguard.releasing.history.view": "LedgerView RecordedAudit",
    "qidguard.releasing.reaudit.reaudit": "reaudit",
    "qidguard.releasing.result": "Recorded",
    "qidguard.rendering.threshold": "listed_figure threshold_words",
    "qidguard.auditing.demands": "Demand demands",
    "qidguard.engines.duckdb.connection": "database_frame",
    "qidguard.engines.duckdb.sources.staged": "check_names",
    "qidguard.engines.sql.identifier": "quote",
    "qidguard.host": "load_host",
    "qidguard.interfaces.batch_judging": "BatchAnswer BatchQuestion BatchSource judge_batch",
    "qidguard.interfaces.starter.writing": "write_texts",
    "qidguard.ledger.payloads": "PolicyUsed",
    "qidguard.policy.origin": "value_digest",
    "qidguard.releasing.deciding.checked_entry": "ReachedVerdict record_verdicts",
    "qidguard.rendering.figure": "figure_words limit_figure",
}
"""Module → the public names that it holds; the imports above say the same to type checkers."""

__all__ = [name for names in _HOMES.values() for name in names.split()]
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
