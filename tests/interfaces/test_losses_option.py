"""``--losses`` and the spelling of a method are the same in ``anonymize`` and ``compare``."""

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("door", ["anonymize", "compare"])
@pytest.mark.parametrize("option", ["--with", "--anonymizer", "-a"])
def test_one_spelling_does_at_both_doors(door, option, run, table, write_policy):
    """A name with its parameters in brackets; without losses no word of any."""
    code, out, _ = run(
        door, table, "--policy", write_policy(limit=2), option, "mdav[k=2]", "--losses", "none", "--quiet"
    )
    assert code == 0
    assert "certainty" not in out
    assert ("NCP was not measured" in " ".join(out.split())) is (door == "compare")


@pytest.mark.parametrize("door", ["anonymize", "compare"])
@pytest.mark.parametrize(("written", "said"), [("none,ncp", "names no losses"), ("k", "no metric of loss")])
def test_what_is_no_loss_is_exit_2(door, written, said, run, table, write_policy):
    """Before any work."""
    code, _, err = run(door, table, "--policy", write_policy(limit=2), "--with", "mdav", "--losses", written)
    assert code == 2
    assert said in err


@pytest.mark.slow
def test_methods_may_be_named_one_by_one(run, table, write_policy):
    """``--with`` repeated is the same as names with commas between."""
    code, out, _ = run(
        "compare", table, "--policy", write_policy(limit=2), "--with", "mondrian", "--with", "mdav[k=2]"
    )
    assert code == 0
    assert "mondrian" in out
    assert "mdav[k=2]" in out
