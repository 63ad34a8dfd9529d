"""The suite that the system tests talk to: real servers, a temporary folder, free ports."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(Path(__file__).parent))

from client import Api, Person  # noqa: E402
from examples import RECORDER  # noqa: E402
from suite.executables import EXECUTABLES  # noqa: E402
from suite.ports import free_ports  # noqa: E402
from suite.suite import Suite  # noqa: E402

if TYPE_CHECKING:
    from provider import Hostile

BINARIES = Path(os.environ.get("EZWALLET_BINARIES", ROOT / ".build" / "debug"))
STATEMENTS = Path(os.environ.get("EZWALLET_TEST_DATA", ROOT.parent / "shared" / "data"))


def make_suite(**options: object) -> Suite:
    """A suite in a folder of its own, which the database server's user can reach."""
    in_memory = Path("/dev/shm")
    has_room = in_memory.is_dir() and shutil.disk_usage(in_memory).free > 4 << 30
    place = in_memory if has_room else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="ezw-", dir=place)).resolve()
    folder.chmod(0o755)
    suite = Suite(folder, BINARIES.resolve(), fast=True, **options)
    # All tests come from one address, and some make as many calls as they can.
    suite.executables.extra["gateway"] = {"EZWALLET_RATE_PER_SECOND": "0"}
    suite.executables.extra["auth"] = {
        "EZWALLET_CODES_PER_ADDRESS_MAX": "0",
        "EZWALLET_REGISTRATIONS_PER_ADDRESS_MAX": "0",
    }
    suite.executables.extra["auth"] |= identity_providers()
    # Nobody answers there but in the test of rates.
    suite.executables.extra["ledger"] = {
        "EZWALLET_RATES_URL": f"http://127.0.0.1:{RATES_PORT}/rates.xml",
        "EZWALLET_RATES_SOURCE": "ECB",
    }
    return suite


#: Where the test of rates has its provider.
RATES_PORT = free_ports(1)[0]
#: Where the tests of sign-in by others start their providers, and who we are there.
PROVIDER_PORTS = dict(zip(("real", "hostile"), free_ports(2), strict=True))
CLIENT_ID, CLIENT_SECRET, NATIVE = "ezwallet", "a+secret/of=ours", "org.example.wallet:/signed-in"
#: More sign-ins than all tests begin together.
SIGN_INS_MAX = 20_000


def identity_providers() -> dict[str, str]:
    """What auth is told of them; they need not run before they are asked."""
    told = {
        "EZWALLET_OIDC_PROVIDERS": ",".join(PROVIDER_PORTS),
        "EZWALLET_NATIVE_REDIRECTS": NATIVE,
        "EZWALLET_SIGN_INS_PER_ADDRESS_MAX": str(SIGN_INS_MAX),
        "EZWALLET_OIDC_HOSTILE_TITLE": "Hostile & Sons",
    }
    for name, port in PROVIDER_PORTS.items():
        told |= {
            f"EZWALLET_OIDC_{name.upper()}_ISSUER": f"http://127.0.0.1:{port}",
            f"EZWALLET_OIDC_{name.upper()}_CLIENT_ID": CLIENT_ID,
            f"EZWALLET_OIDC_{name.upper()}_CLIENT_SECRET": CLIENT_SECRET,
        }
    return told


@pytest.fixture(scope="session")
def bare_suite() -> Iterator[Suite]:
    """PostgreSQL, NATS and the sinks alone."""
    suite = make_suite()
    try:
        suite.start_base()
        yield suite
    finally:
        suite.remove()


@pytest.fixture(scope="session")
def suite() -> Iterator[Suite]:
    """Everything, two replicas of each service behind the gateway."""
    wanted = [name for name in EXECUTABLES if in_tree(name)]
    missing = [name for name in wanted if not (BINARIES / f"ezwallet-{name}").exists()]
    assert not missing, f"not built: {missing} in {BINARIES}"
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        keep_logs(suite)
        suite.remove()


def in_tree(executable: str) -> bool:
    """Whether the repository has the executable's sources."""
    return (ROOT / "Services" / executable.capitalize() / "Main").exists()


#: Each beside those that it is told of by, or asks.
LAYERS = ["gateway", "auth", "notifications", "groups", "ledger", "analytics"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--service", choices=LAYERS, help="the tests of one service alone")


def concerns(service: str, module: object) -> bool:
    """Whether a file's tests are a service's: by its name, or as the last that it needs."""
    if module.__name__.startswith(f"test_{service}"):
        return True
    needs = set(getattr(module, "NEEDS", LAYERS))
    above = set(LAYERS[LAYERS.index(service) + 1 :]) - {"notifications"}
    return service in needs and needs != set(LAYERS) and not needs & above


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    service = config.getoption("--service")
    if service:
        left_out = [item for item in items if not concerns(service, item.module)]
        items[:] = [item for item in items if concerns(service, item.module)]
        config.hook.pytest_deselected(items=left_out)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "alone: has the machine for itself, after the others")
    config.addinivalue_line("markers", "deep: takes minutes; deploy/test --deep")
    config.addinivalue_line("markers", "needs(*executables): waits until the tree holds them")
    # What the other parser of OFX is warned of is its own affair.
    config.addinivalue_line("filterwarnings", "ignore::DeprecationWarning:ofxparse")
    config.addinivalue_line("filterwarnings", "ignore::bs4.XMLParsedAsHTMLWarning")


def pytest_sessionfinish() -> None:
    RECORDER.write()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of what the tree does not hold yet wait for it; what it holds must work."""
    if item.get_closest_marker("deep") and not os.environ.get("EZWALLET_DEEP"):
        pytest.skip("takes long: deploy/test --deep")
    needs = list(getattr(item.module, "NEEDS", []))
    for marker in item.iter_markers("needs"):
        needs += marker.args
    absent = [name for name in needs if not in_tree(name)]
    if absent:
        pytest.skip(f"not in the tree yet: {', '.join(absent)}")


def keep_logs(suite: Suite) -> None:
    """Copies the logs where EZWALLET_TEST_LOGS says, for looking at after a failure."""
    target = os.environ.get("EZWALLET_TEST_LOGS")
    if target:
        import shutil

        kept = Path(target) / os.environ.get("PYTEST_XDIST_WORKER", "")
        shutil.copytree(suite.folder / "log", kept, dirs_exist_ok=True)
        shutil.copytree(suite.folder / "outbox", kept / "outbox", dirs_exist_ok=True)


@pytest.fixture(scope="session")
def provider() -> Iterator["Hostile"]:
    """The provider that says what a test wants."""
    from provider import Hostile

    with Hostile().running() as hostile:
        yield hostile


@pytest.fixture
def forgotten_failures(suite: Suite) -> Iterator[None]:
    """For tests that fail to log in a lot: all share one address, which is slowed down for it."""
    yield
    suite.postgres.psql("-c", "delete from auth.failed_log_in", database="ezwallet_auth")


def hurt_suite() -> Iterator[Suite]:
    """A suite for a module that writes past the services, into what others would verify."""
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.fixture
def visitor(suite: Suite) -> Api:
    """Somebody who is not signed in."""
    return Api(suite)


@pytest.fixture
def person(suite: Suite) -> Person:
    """Somebody who has just registered."""
    return Person(suite)


@pytest.fixture(scope="module")
def ada(suite: Suite) -> Person:
    """Somebody whom the tests of a module share."""
    return Person(suite)


@pytest.fixture
def statements() -> Path:
    """The folder of real bank statements, which stands beside the repository."""
    folder = STATEMENTS / "statements"
    if not folder.exists() and os.environ.get("EZWALLET_REQUIRE_TEST_DATA") != "1":
        pytest.skip(f"no {folder}: EZWALLET_TEST_DATA names the folder of test data")
    return folder


def make_admin(suite: Suite, role: str = "admin") -> Api:
    """Somebody made on the command line, as at deployment."""
    import uuid

    name, password = f"{role}{uuid.uuid4().hex[:8]}", "correct-horse-battery-7"
    file = suite.folder / "secrets" / name
    file.write_text(password)
    suite.command(
        "auth", "create-user", "--role", role, "--email", f"{name}@example.org",
        "--password-file", str(file),
    )  # fmt: skip
    file.unlink()
    body = {"identifier": f"{name}@example.org", "password": password}
    return Api(suite, Api(suite).post("/v1/sessions", body)["accessToken"])
