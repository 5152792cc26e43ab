from qidguard.host import load_host


def test_every_metric_is_one_line(run):
    """The list has a line a metric, sorted, with its title."""
    code, out, _ = run("explain")
    metrics = load_host().metrics
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == sorted(metrics)
    assert all(metrics[line.split()[0]].title in line for line in out.splitlines())


def test_each_explanation_is_complete(run):
    """Meaning, formula, source and good value of every metric stand in its explanation, word for word."""
    for name, metric in load_host().metrics.items():
        code, out, _ = run("explain", name)
        words = " ".join(out.split())
        assert code == 0
        for field in ("meaning", "formula", "source", "good_value", "missing", "empty", "single_class"):
            assert " ".join(getattr(metric.explanation, field).split()) in words
        assert all(parameter.name in words for parameter in metric.parameters)


def test_an_unknown_metric_is_exit_2_with_the_nearest_name(run):
    """The mistake, and what was meant."""
    code, out, err = run("explain", "k_anonimity")
    assert (code, out) == (2, "")
    assert err == "Error: there is no metric 'k_anonimity'; did you mean 'k_anonymity'?\n"
