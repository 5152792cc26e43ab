"""Rows of tables whose figures are checked by hand."""

import pytest


def cases(metrics):
    """Return a maker of rows: a table, why it is looked at, its figure by each metric's name, and options."""
    names = {metric.name for metric in metrics}

    def case(table, why, marks=(), **words):
        options = {word: value for word, value in words.items() if word not in names}
        figures = {word: value for word, value in words.items() if word in names}
        assert figures, f"no metric among {list(words)}"
        return [
            pytest.param(name, table, options, figure, id=f"{name}: {why}", marks=marks)
            for name, figure in figures.items()
        ]

    return case
