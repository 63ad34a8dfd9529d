"""What the document says is enough for a program to write a client, which works."""

import importlib
import json
import ssl
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from client import Api
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
TOOLS = Path(sys.executable).parent
PASSWORD = "correct-horse-battery-7"


@pytest.fixture(scope="module")
def document(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("document") / "openapi.json"
    file.write_text(json.dumps(Api(suite).get("/openapi.json")))
    return file


def binary_types(document: Path) -> set[str]:
    """The media types of files that are no text."""
    found = set()

    def walk(tree: object) -> None:
        if isinstance(tree, dict):
            for name, content in (tree.get("content") or {}).items():
                if content.get("schema", {}).get("format") == "binary":
                    found.add(name)
        if isinstance(tree, dict | list):
            for part in tree.values() if isinstance(tree, dict) else tree:
                walk(part)

    walk(json.loads(document.read_text())["paths"])
    return found


@pytest.fixture(scope="module")
def generated(document: Path) -> str:
    """A Python package made by openapi-python-client; its name."""
    name, config = f"generated_{uuid.uuid4().hex[:8]}", document.with_name("config.json")
    # It knows bytes by one media type alone.
    overrides = dict.fromkeys(binary_types(document), "application/octet-stream")
    config.write_text(json.dumps({"post_hooks": [], "content_type_overrides": overrides}))
    done = subprocess.run(
        [
            TOOLS / "openapi-python-client", "generate", "--meta", "none", "--path", document,
            "--config", config, "--output-path", document.parent / name,
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "will not be generated" not in done.stdout, done.stdout[:4000]
    sys.path.insert(0, str(document.parent))
    return name


@pytest.mark.timeout(180)
def test_a_generated_client_signs_up_records_transfers_and_lists(
    suite: Suite, generated: str
) -> None:
    package = importlib.import_module(generated)
    models = importlib.import_module(f"{generated}.models")
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    options = {
        "base_url": suite.address, "verify_ssl": trust, "raise_on_unexpected_status": True,
        "httpx_args": {"trust_env": False},
    }  # fmt: skip

    def call(name: str, client: object, **arguments: object) -> object:
        return importlib.import_module(f"{generated}.api.{name}").sync(client=client, **arguments)

    email = f"g{uuid.uuid4().hex[:12]}@example.org"
    made = call(
        "users.register_user", package.Client(**options),
        body=models.NewUser(email=email, password=PASSWORD),
    )  # fmt: skip
    assert isinstance(made, models.RegistrationView) and made.user.email == email
    me = package.AuthenticatedClient(token=made.session.access_token, **options)

    first, second = (
        call(
            "accounts.open_account", me,
            body=models.NewAccount(kind=models.NewAccountKind.CURRENT, currency="EUR", name=name),
        )
        for name in ("First", "Second")
    )  # fmt: skip
    key = str(uuid.uuid4())
    for _ in range(2):
        recorded = call(
            "transactions.record_transaction", me, idempotency_key=key,
            body=models.NewTransaction(
                account_id=first.id, amount=models.Money(amount="500.00", currency="EUR")
            ),
        )  # fmt: skip
        assert recorded.amount.amount == "500.00"
    sent = call(
        "transfers.post_transfer", me, idempotency_key=str(uuid.uuid4()),
        body=models.NewTransfer(
            from_account_id=first.id, to_account_id=second.id,
            amount=models.Money(amount="120.50", currency="EUR"),
        ),
    )  # fmt: skip
    assert isinstance(sent, models.TransferView), sent
    listed = call("accounts.list_accounts", me)
    balances = {one.name: one.balance.amount for one in listed.items}
    assert balances["First"] == "379.50" and balances["Second"] == "120.50"
    rows = call("transactions.list_transactions", me).items
    assert sorted(row.amount.amount for row in rows) == ["-120.50", "120.50", "500.00"]


@pytest.mark.timeout(120)
def test_models_are_generated(document: Path) -> None:
    models = document.with_name("models.py")
    done = subprocess.run(
        [
            TOOLS / "datamodel-codegen", "--input", document, "--input-file-type", "openapi",
            "--output", models, "--output-model-type", "pydantic_v2.BaseModel",
            "--formatters", "builtin",
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    compile(models.read_text(), models, "exec")
