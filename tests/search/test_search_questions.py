import pytest

from qidguard.sdk import Objective, Parameter, Role, Term, UserError
from qidguard.search.questions import questions_of


@pytest.fixture
def find(make_metric):
    """Return a look-up of metrics, each with its plugin."""
    statistic = Parameter(name="statistic", type=str, default="mean", choices=("mean", "maximum"))
    known = {
        m.name: m
        for m in (
            make_metric("distinction"),
            make_metric("delta_distinction", change_of="distinction"),
            make_metric("accuracy", attribute=Role.TARGET, parameters=(statistic,)),
            make_metric("journalist", needs_population=True),
            make_metric("isolated", needs_history=True),
        )
    }
    return lambda name: (known[name], "plugin 'x'")


def of(*terms, divisors=()):
    """Return an objective of these terms."""
    return Objective(name="x", title="X", terms=terms, divisors=divisors)


def test_each_term_has_its_figure_divisors_last(find):
    """Arguments are checked, the target stands beside, and the owner is kept for errors."""
    objective = of(
        Term(metric="accuracy", arguments={"statistic": "maximum"}),
        Term(metric="accuracy", attribute="grade"),
        divisors=(Term(metric="distinction"),),
    )
    found = questions_of(objective, find, {Role.TARGET: "outcome"})
    assert [(f.metric.name, dict(f.arguments), f.attribute, f.owner) for f in found] == [
        ("accuracy", {"statistic": "maximum"}, "outcome", "plugin 'x'"),
        ("accuracy", {"statistic": "mean"}, "grade", "plugin 'x'"),
        ("distinction", {}, None, "plugin 'x'"),
    ]


def test_a_change_has_the_figure_of_what_changes(find):
    """The search takes the difference; outside of it the change has no figure."""
    (figure,) = questions_of(of(Term(metric="delta_distinction")), find, {})
    assert figure.metric.name == "distinction"


@pytest.mark.parametrize(
    ("term", "sentence"),
    [
        (Term(metric="accuracy"), "'accuracy' is measured beside a target column; name one"),
        (Term(metric="distinction", attribute="x"), "beside no column; do not name 'x'"),
        (Term(metric="accuracy", attribute="x", arguments={"q": 1}), "'accuracy': unknown parameter 'q'"),
        (Term(metric="journalist"), "needs a population table, which a search has not"),
        (Term(metric="isolated"), "needs earlier releases, which a search has not"),
    ],
)
def test_what_cannot_be_measured_in_a_search_is_said(find, term, sentence):
    """Before anything is measured."""
    with pytest.raises(UserError, match=sentence):
        questions_of(of(term), find, {})
