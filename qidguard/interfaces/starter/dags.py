"""The example DAGs, wired to a data set of the user's own."""

from pathlib import Path

from qidguard.core.errors import InternalError

POLICY_FILE = "demo.yaml"
"""The policy that the examples come with."""
_WIRED = 'DATA_SET, POLICY_FILE = "demo", "demo.yaml"'


def starter_dags() -> Path:
    """Return the folder of the example DAGs: the package's, or that of a checkout.

    Example:
        >>> (starter_dags() / "policies" / "demo.yaml").is_file()
        True
    """
    import qidguard

    package = Path(qidguard.__file__).parent
    for folder in (package / "starter" / "dags", package.parent / "dags"):
        if (folder / "policies" / POLICY_FILE).is_file():
            return folder
    raise InternalError("the example DAGs are not in the package; install it from a wheel or a checkout")


def dag_texts(data_set: str, policy_file: str) -> dict[str, str]:
    r"""Return the example DAGs for a data set.

    Example:
        >>> 'DATA_SET, POLICY_FILE = "ward", "w.yaml"\n' in dag_texts("ward", "w.yaml")["gate_and_publish.py"]
        True
    """
    wired = f'DATA_SET, POLICY_FILE = "{data_set}", "{policy_file}"'
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(starter_dags().glob("*.py"))}
    return {
        name: text.replace(_WIRED, wired).replace("`demo/", f"`{data_set}/") for name, text in texts.items()
    }
