"""The six executables and what each is told through its environment."""

from pathlib import Path

from suite.files import secret
from suite.plan import Program

SERVICES = ["auth", "ledger", "groups", "analytics", "notifications"]
#: Those of the tree as it stands; the gateway comes with the first service.
EXECUTABLES = ["gateway", *SERVICES]


def port_names(replicas: int) -> list[str]:
    """Every port of a suite, by name, in a stable order."""
    names = ["GATEWAY", "GATEWAY_INTERNAL", "GATEWAY_ADMIN", "POSTGRES", "NATS", "SMTP", "SMS"]
    for service in SERVICES:
        for replica in range(1, replicas + 1):
            names += [f"{service.upper()}_{replica}", f"{service.upper()}_{replica}_ADMIN"]
    return names


class Executables:
    """Where the binaries are and how each replica is configured."""

    def __init__(self, folder: Path, binaries: Path, ports: dict[str, int], replicas: int):
        self.folder, self.binaries, self.ports, self.replicas = folder, binaries, ports, replicas
        self.extra: dict[str, dict[str, str]] = {}

    def present(self, name: str) -> bool:
        """Whether the executable has been built."""
        return (self.binaries / f"ezwallet-{name}").exists()

    def services(self) -> list[str]:
        """The services that have been built."""
        return [service for service in SERVICES if self.present(service)]

    def common(self, name: str) -> dict[str, str]:
        """What every executable is told."""
        secrets = self.folder / "secrets"
        return {
            "EZWALLET_LOOPS": "1",
            "EZWALLET_PUBLIC_URL": f"https://localhost:{self.ports['GATEWAY']}",
            "EZWALLET_GATEWAY_INTERNAL_URL": f"http://127.0.0.1:{self.ports['GATEWAY_INTERNAL']}",
            "EZWALLET_SERVICE_SECRET_FILE": str(secret(secrets, f"{name}_client")),
            "EZWALLET_NATS_URL": f"nats://127.0.0.1:{self.ports['NATS']}",
        }

    def service(self, name: str, replica: int) -> dict[str, str]:
        """One replica of a service."""
        port = f"{name.upper()}_{replica}"
        return (
            self.common(name)
            | self.database(name)
            | self.particular(name)
            | {
                "EZWALLET_LISTEN": f"127.0.0.1:{self.ports[port]}",
                "EZWALLET_ADMIN_LISTEN": f"127.0.0.1:{self.ports[port + '_ADMIN']}",
            }
            | self.extra.get(name, {})
        )

    def database(self, name: str) -> dict[str, str]:
        """The service's own database, as the role that the running service is."""
        return {
            "EZWALLET_DATABASE_HOST": "127.0.0.1",
            "EZWALLET_DATABASE_PORT": str(self.ports["POSTGRES"]),
            "EZWALLET_DATABASE_NAME": f"ezwallet_{name}",
            "EZWALLET_DATABASE_USER": f"ezwallet_{name}_service",
            "EZWALLET_DATABASE_PASSWORD_FILE": str(
                secret(self.folder / "secrets", f"{name}_database_service")
            ),
        }

    def migration(self, name: str) -> dict[str, str]:
        """What `migrate` is told: the service's own environment and the owner's role."""
        owner = secret(self.folder / "secrets", f"{name}_database_owner")
        return self.service(name, 1) | {
            "EZWALLET_DATABASE_OWNER_USER": f"ezwallet_{name}_owner",
            "EZWALLET_DATABASE_OWNER_PASSWORD_FILE": str(owner),
        }

    def particular(self, name: str) -> dict[str, str]:
        """What only this service is told."""
        secrets = self.folder / "secrets"
        sealing = {"EZWALLET_SEALING_SECRET_FILE": str(secret(secrets, "sealing"))}
        match name:
            case "auth":
                told = sealing | {
                    "EZWALLET_TOKEN_SECRET_FILE": str(secret(secrets, "tokens")),
                    # Here everybody is at example.org, which takes no mail.
                    "EZWALLET_EMAIL_DOMAIN_CHECK": "off",
                }
                return told | {
                    f"EZWALLET_CLIENT_{client.upper()}_SECRET_FILE": str(
                        secret(secrets, f"{client}_client")
                    )
                    for client in EXECUTABLES
                }
            case "ledger":
                return {
                    "EZWALLET_JOURNAL_SECRET_FILE": str(secret(secrets, "journal")),
                    # A machine without a network has the shipped rates only.
                    "EZWALLET_RATE_DAYS_MAX": "0",
                }
            case "groups":
                return sealing
            case "notifications":
                return sealing | {
                    "EZWALLET_SMTP_URL": f"smtp://127.0.0.1:{self.ports['SMTP']}",
                    "EZWALLET_SMS_URL": f"http://127.0.0.1:{self.ports['SMS']}/messages",
                }
            case _:
                return {}

    def gateway(self) -> dict[str, str]:
        """The gateway, with every replica of every service behind it."""
        upstreams = {
            f"EZWALLET_UPSTREAM_{service.upper()}": ",".join(
                f"127.0.0.1:{self.ports[f'{service.upper()}_{replica}']}"
                for replica in range(1, self.replicas + 1)
            )
            for service in self.services()
        }
        return (
            self.common("gateway")
            | upstreams
            | {
                "EZWALLET_LISTEN": f"127.0.0.1:{self.ports['GATEWAY']}",
                "EZWALLET_INTERNAL_LISTEN": f"127.0.0.1:{self.ports['GATEWAY_INTERNAL']}",
                "EZWALLET_ADMIN_LISTEN": f"127.0.0.1:{self.ports['GATEWAY_ADMIN']}",
                "EZWALLET_TLS_CERTIFICATE_FILE": str(self.folder / "tls" / "server.pem"),
                "EZWALLET_TLS_KEY_FILE": str(self.folder / "tls" / "server.key"),
            }
            | self.extra.get("gateway", {})
        )

    def programs(self) -> list[Program]:
        """Every replica of everything that has been built, the gateway last."""
        wanted = [
            (name, replica, self.service(name, replica))
            for name in self.services()
            for replica in range(1, self.replicas + 1)
        ]
        if self.present("gateway"):
            wanted.append(("gateway", 1, self.gateway()))
        return [self.program(name, replica, told) for name, replica, told in wanted]

    def program(self, name: str, replica: int, environment: dict[str, str]) -> Program:
        """One replica, whose revision is the file's."""
        binary = self.binaries / f"ezwallet-{name}"
        status = binary.stat()
        return Program(
            name=f"ezwallet-{name}-{replica}",
            command=[str(binary)],
            environment=environment,
            revision=f"{status.st_mtime_ns}-{status.st_size}",
        )

    def admin_ports(self) -> dict[str, int]:
        """The admin port of each replica, by the program's name."""
        found = {
            f"ezwallet-{name}-{replica}": self.ports[f"{name.upper()}_{replica}_ADMIN"]
            for name in self.services()
            for replica in range(1, self.replicas + 1)
        }
        if self.present("gateway"):
            found["ezwallet-gateway-1"] = self.ports["GATEWAY_ADMIN"]
        return found
