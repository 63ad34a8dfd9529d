"""docker-compose.yml tells each executable what the suite without containers tells it."""

import re
from pathlib import Path

import pytest
import yaml

from conftest import ROOT
from suite.executables import EXECUTABLES, SERVICES, Executables, port_names

#: Said by the image, or of use on one's own machine alone.
ELSEWHERE = {"EZWALLET_LISTEN", "EZWALLET_ADMIN_LISTEN", "EZWALLET_LOOPS"}


@pytest.fixture(scope="module")
def compose() -> dict:
    """The file with its anchors resolved."""
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


@pytest.fixture
def told(tmp_path: Path) -> Executables:
    """The executables as `deploy/up` configures them."""
    (tmp_path / "secrets").mkdir()
    ports = {name: 20000 + index for index, name in enumerate(port_names(2))}
    return Executables(tmp_path, ROOT / ".build" / "debug", ports, 2)


@pytest.mark.parametrize("name", EXECUTABLES)
def test_every_variable_is_there(name: str, compose: dict, told: Executables) -> None:
    """For the running service and for its migrations."""
    if name == "gateway":
        wanted = {f"EZWALLET_UPSTREAM_{service.upper()}": f"{service}:8080" for service in SERVICES}
        assert wanted.items() <= compose[name]["environment"].items()
        running = told.gateway()
    else:
        running = told.service(name, 1)
        migrating = compose[f"migrate-{name}"]["environment"]
        assert set(told.migration(name)) - ELSEWHERE <= set(migrating)
        assert compose[name]["scale"] == 2
    assert set(running) - ELSEWHERE <= set(compose[name]["environment"])


@pytest.mark.parametrize("name", SERVICES)
def test_migrations_run_first(name: str, compose: dict) -> None:
    """Databases and roles, then the schema, then the service."""
    done = {"condition": "service_completed_successfully"}
    assert compose[name]["depends_on"][f"migrate-{name}"] == done
    assert compose[f"migrate-{name}"]["depends_on"]["databases"] == done
    assert compose["databases"]["depends_on"]["postgres"] == {"condition": "service_healthy"}


@pytest.mark.parametrize("name", EXECUTABLES)
def test_secrets_lie_where_their_reader_looks(name: str, compose: dict) -> None:
    """Each is made by deploy/compose-setup, in a volume that the service has."""
    made = (ROOT / "deploy" / "compose-setup").read_text()
    mounted = [volume.split(":")[1] for volume in compose[name]["volumes"]]
    for variable, value in compose[name]["environment"].items():
        if not variable.endswith("_FILE"):
            continue
        path = Path(value)
        assert any(path.is_relative_to(folder) for folder in mounted), variable
        stem = re.sub(r"^client_.*", "client_", path.name)
        assert stem in made or "tls" in path.parts, variable
