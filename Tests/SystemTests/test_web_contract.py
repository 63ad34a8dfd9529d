"""The API that the web client is made for is the one that is served."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from client import Api
from web import ROOT

NEEDS = ["gateway", "auth", "ledger", "groups", "analytics", "notifications"]
REDUCE = ROOT / "Services" / "Web" / "tools" / "reduce.mjs"
COMMITTED = ROOT / "Services" / "Web" / "api" / "operations.json"


def test_client_is_made_for_the_served_document(visitor: Api, tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node, "nodejs is needed: deploy/test installs it"
    served = tmp_path / "openapi.json"
    served.write_text(json.dumps(visitor.get("/openapi.json")))
    reduced = subprocess.run([node, REDUCE, served], capture_output=True, text=True, check=True)
    if reduced.stdout != COMMITTED.read_text():
        old, new = json.loads(COMMITTED.read_text()), json.loads(reduced.stdout)
        changed = [
            name
            for part in ("operations", "schemas")
            for name in sorted({*old[part], *new[part]})
            if old[part].get(name) != new[part].get(name)
        ]
        pytest.fail(f"Services/Web/api/operations.json is old: {', '.join(changed[:20])}")
