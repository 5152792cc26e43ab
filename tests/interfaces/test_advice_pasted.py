"""The lines of policy that advice prints, pasted into the policy as they are, make the table pass."""

import random

import pytest

NAMES = {"plain": ("age", "ward"), "hostile": ("age: of, them", "ward #1 {x} 'y'")}
POLICY = """qidguard: 1
name: clinic
roles:
  quasi_identifiers: [{age}, sex, {ward}]
  sensitive: [illness]
  entity: pid
thresholds:
- {{metric: k_anonymity, at_least: 5}}
"""


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a table of visits, and a policy that it misses."""

    def write(age, ward):
        drawn = random.Random(3)  # noqa: S311 - a table to try, no secret
        people = [
            (pid, drawn.randint(18, 95), drawn.choice("fm"), drawn.choice("abcdefgh")) for pid in range(900)
        ]
        rows = [
            f"{pid},{years},{sex},{where},{drawn.choice(['flu', 'cold'])}"
            for pid, years, sex, where in people
            for _ in range(drawn.randint(1, 3))
        ]
        header = ",".join(f'"{name}"' for name in ("pid", age, "sex", ward, "illness"))
        (tmp_path / "visits.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
        quoted = {name: '"' + name + '"' for name in (age, ward)}
        text = POLICY.format(age=quoted[age], ward=quoted[ward])
        (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")

    return write


def _advice(out):
    """Return the lines of advice: from their title on, until what comes next."""
    told = out[out.index("What would make it pass") :]
    return told.partition("\nNext")[0].rstrip().splitlines()


def _pasted(out):
    """Return the lines of policy that stand on a screen: from remedy on, until the next line of advice."""
    lines = _advice(out)
    after = lines[lines.index("remedy:") :]
    end = next((at for at, line in enumerate(after) if line.startswith("  Or")), len(after))
    return "\n".join(after[:end]).rstrip() + "\n"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_lines_of_policy_are_pasted_and_pass(run, written, names, width, monkeypatch, tmp_path):
    """Blocked with exit 1; with the lines at the policy's end the remedy passes with exit 0."""
    monkeypatch.setenv("COLUMNS", width)
    written(*names)
    code, out, _ = run("audit", "visits.csv", "-p", "policy.yaml")
    assert code == 1
    assert len(_advice(out)) <= 12
    with (tmp_path / "policy.yaml").open("a", encoding="utf-8") as policy:
        policy.write(_pasted(out))
    code, out, err = run("anonymize", "visits.csv", "-p", "policy.yaml", "--to", "safe.csv")
    assert (code, "WRITTEN  safe.csv" in out) == (0, True), err + out
