"""A private PostgreSQL cluster."""

import hashlib
import os
import shutil
import subprocess
import time
from pathlib import Path

from suite.files import secret, write_private
from suite.plan import Program

#: What PostgreSQL allows for a socket's path, less the name in the folder and some air.
SOCKET_PATH_MAX = 80
#: The server logs no values of rows and no parameters, which may be personal.
QUIET_LOG = {
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}
DATABASE_SQL = Path(__file__).parent.parent / "database.sql"


def server_user() -> str | None:
    """PostgreSQL refuses to run as root: then it runs as the user of Debian's package."""
    return "postgres" if os.geteuid() == 0 else None


def programs_folder() -> Path:
    """Where initdb and postgres are: Debian's newest, else beside what is on the path."""
    versions = Path("/usr/lib/postgresql")
    found = [folder for folder in versions.glob("*/bin") if (folder / "initdb").exists()]
    if found:
        return max(found, key=lambda folder: int(folder.parent.name))
    on_path = shutil.which("initdb")
    if not on_path:
        raise RuntimeError("initdb is missing: apt-get install postgresql")
    return Path(on_path).resolve().parent


def reachable(folder: Path) -> bool:
    """Whether the server's user can walk to the folder."""
    if server_user() is None:
        return True
    return all(parent.stat().st_mode & 0o001 for parent in [folder, *folder.parents])


def home_for(folder: Path, name: str) -> Path:
    """`folder/name`, writable for the server's user; elsewhere, with a link, where it must be."""
    home = folder / name
    if home.exists():
        return home.resolve()
    if not reachable(folder):
        tag = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
        elsewhere = Path(f"/var/tmp/ezwallet-{tag}-{name}")
        elsewhere.mkdir(mode=0o700, exist_ok=True)
        if home.is_symlink():
            home.unlink()
        home.symlink_to(elsewhere)
        home = elsewhere
    home.mkdir(mode=0o700, exist_ok=True)
    if server_user():
        shutil.chown(home, "postgres", "postgres")
    return home


class Postgres:
    """A cluster under `folder/postgres`; its superuser is `ezwallet_admin`, by password."""

    def __init__(self, folder: Path, port: int, fast: bool):
        self.folder, self.port, self.fast = folder, port, fast
        self.programs = programs_folder()
        self.password_file = secret(folder / "secrets", "postgres_admin")
        socket = folder / "socket"
        if not reachable(folder) or len(str(socket)) > SOCKET_PATH_MAX:
            tag = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
            socket = Path(f"/tmp/ezwallet-{tag}")
        self.socket = socket

    def prepare(self) -> None:
        """Makes the cluster on first use and the folder of its socket."""
        self.home = home_for(self.folder, "postgres")
        self.socket.mkdir(mode=0o755, exist_ok=True)
        if server_user():
            shutil.chown(self.socket, "postgres", "postgres")
        data = self.home / "data"
        if (data / "PG_VERSION").exists():
            return
        password = self.home / "password"
        write_private(password, self.password_file.read_text())
        if server_user():
            shutil.chown(password, "postgres", "postgres")
        name = server_user()
        user = {"user": name, "group": name, "extra_groups": []} if name else {}
        fresh = self.home / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        done = subprocess.run(
            [
                str(self.programs / "initdb"), "-D", str(fresh), "-U", "ezwallet_admin",
                "--auth=scram-sha-256", f"--pwfile={password}", "--encoding=UTF8", "--locale=C",
                "--no-instructions", *(["--no-sync"] if self.fast else []),
            ],
            capture_output=True, text=True, check=False, cwd="/", **user,
        )  # fmt: skip
        password.unlink()
        if done.returncode:
            raise RuntimeError(f"initdb: {done.stderr.strip()}")
        # Renamed last, so that a cluster that is there is whole.
        fresh.rename(data)

    def program(self) -> Program:
        """The server, in the foreground; SIGINT is its fast shutdown."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.socket),
            "max_connections": "300",
            "shared_buffers": "256MB",
            "max_wal_size": "2GB",
            "password_encryption": "scram-sha-256",
            "timezone": "UTC",
            "fsync": "off" if self.fast else "on",
            "log_min_duration_statement": "500",
        } | QUIET_LOG
        options = [word for item in settings.items() for word in ("-c", "=".join(item))]
        return Program(
            name="postgres-1",
            command=[str(self.programs / "postgres"), "-D", str(self.home / "data"), *options],
            user=server_user(),
            stop_signal="SIGINT",
        )

    def psql(self, *arguments: str, database: str = "postgres", sql: str | None = None) -> str:
        """Runs psql as the superuser; the first error ends it."""
        done = subprocess.run(
            [
                # The server's own: Debian's on the path is a script that looks for it each time.
                str(self.programs / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                "-h", str(self.socket), "-p", str(self.port), "-U", "ezwallet_admin",
                "-d", database, *arguments,
            ],
            input=sql, capture_output=True, text=True, check=False,
            env={"PATH": os.environ["PATH"], "PGPASSWORD": self.password_file.read_text()},
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"psql: {done.stderr.strip()}")
        return done.stdout.strip()

    def wait(self, seconds: float = 60.0) -> None:
        """Returns once the server answers."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self.psql("-c", "select 1")
                return
            except RuntimeError as error:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL does not answer: {error}") from error
                time.sleep(0.05)

    def make_database(self, service: str) -> None:
        """A service's database with its roles; their passwords are secrets of the folder."""
        secrets_folder = self.folder / "secrets"
        owner = secret(secrets_folder, f"{service}_database_owner").read_text()
        user = secret(secrets_folder, f"{service}_database_service").read_text()
        variables = (
            f"\\set database ezwallet_{service}\n\\set schema {service}\n"
            f"\\set owner_password {owner}\n\\set service_password {user}\n"
        )
        # By standard input: a command line shows in the list of processes.
        self.psql(sql=variables + DATABASE_SQL.read_text())
