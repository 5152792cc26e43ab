"""The command line as a shell starts it."""

import subprocess
import sys

POLICY = """\
qidguard: 1
name: people
roles: {quasi_identifiers: [age, sex], sensitive: [illness], direct_identifiers: [name], entity: person}
thresholds: [{metric: k_anonymity, at_least: 5}]
release: {data_set: people, earlier_releases: unrelated}
"""


def shell(line: str) -> subprocess.CompletedProcess:
    """Run a line of shell in which qidguard is the command line."""
    code = "import sys; from qidguard.interfaces.cli import main; sys.exit(main())"
    whole = f'qidguard() {{ "{sys.executable}" -c "{code}" "$@"; }}; {line}'
    return subprocess.run(
        ["/bin/bash", "-c", whole], capture_output=True, text=True, encoding="utf-8", check=False, timeout=250
    )
