"""The README's tour, run as it stands there; and its configuration table, held current."""

import os
import re
import subprocess

import pytest

from conftest import ROOT
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES


@pytest.mark.timeout(120)
def test_the_tour_works_as_written(suite: Suite) -> None:
    blocks = re.findall(r"^```bash\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    script = "set -euo pipefail\n" + "\n".join(blocks)
    script = script.replace("https://localhost:8443", suite.address)
    script = script.replace(".local/", f"{suite.folder}/")
    environment = os.environ | {"EZWALLET_SUITE_FOLDER": str(suite.folder)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert '"emailVerified": false' in done.stdout and "true" in done.stdout.splitlines()
    # The imported statement's closing balance.
    assert '"2264.36"' in done.stdout
    # The officer's question was answered.
    assert '"cells"' in done.stdout


def test_the_configuration_table_is_current(suite: Suite) -> None:
    done = subprocess.run(
        [ROOT / "deploy" / "configuration", "--check", "--binaries", suite.executables.binaries],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
