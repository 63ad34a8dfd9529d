"""What runs the suite, tried without any service."""

import json
import os
import signal
import smtplib
import stat
import time
import urllib.request

import pytest

from suite.files import make_authority, openssl
from suite.suite import Suite, wait_until


def pid_or_none(suite: Suite, program: str) -> int | None:
    try:
        return suite.pid(program)
    except (OSError, ValueError):
        return None


def test_a_program_that_dies_is_started_again(bare_suite: Suite) -> None:
    first = bare_suite.pid("nats-server-1")
    os.kill(first, signal.SIGKILL)
    wait_until(
        lambda: pid_or_none(bare_suite, "nats-server-1") not in (None, first), 5, "not restarted"
    )

    log = bare_suite.folder / "log" / "nats-server-1.log"
    (line,) = [line for line in log.read_text().splitlines() if "program ended" in line]
    told = json.loads(line)
    assert told["service"] == "supervisor" and told["level"] == "warning"
    assert (told["program"], told["status"]) == ("nats-server-1", "-9")


def test_logs_are_private_and_hold_no_values_of_rows(bare_suite: Suite) -> None:
    logs = list((bare_suite.folder / "log").iterdir())
    assert logs and all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in logs)
    insert = "insert into person select 'ada' || '@example.org'"
    with pytest.raises(RuntimeError, match="duplicate key"):
        bare_suite.postgres.psql(
            "-c", "create temporary table person (email text primary key)",
            "-c", insert, "-c", insert,
        )  # fmt: skip
    slow = "prepare p(text) as select pg_sleep(0.6), $1;"
    bare_suite.postgres.psql(sql=slow + "select format('execute p(%L)', 'bob' || '@x') \\gexec")
    log = (bare_suite.folder / "log" / "postgres-1.log").read_text()
    assert "duplicate key" in log and "ada@example.org" not in log


def test_preparing_twice_restarts_nothing(bare_suite: Suite) -> None:
    before = bare_suite.pid("postgres-1")
    bare_suite.start_base()
    time.sleep(0.2)
    assert bare_suite.pid("postgres-1") == before


def test_a_database_is_made_once_and_its_service_may_make_no_table(bare_suite: Suite) -> None:
    for _ in range(2):
        bare_suite.postgres.make_database("ledger")
    roles = bare_suite.postgres.psql(
        "-c", "select rolname from pg_roles where rolname like 'ezwallet_ledger%' order by 1"
    )
    assert roles.split() == [
        "ezwallet_ledger_owner", "ezwallet_ledger_poster", "ezwallet_ledger_service",
    ]  # fmt: skip
    with pytest.raises(RuntimeError, match="permission denied"):
        bare_suite.postgres.psql(
            "-c", "set role ezwallet_ledger_service", "-c", "create temporary table t()",
            database="ezwallet_ledger",
        )  # fmt: skip


def test_mail_and_sms_become_files_named_by_recipient(bare_suite: Suite) -> None:
    with smtplib.SMTP("127.0.0.1", bare_suite.ports["SMTP"]) as mail:
        mail.sendmail("a@example.org", "ada@example.org", "Subject: hello\r\n\r\nyour code")
    request = urllib.request.Request(
        f"http://127.0.0.1:{bare_suite.ports['SMS']}/messages",
        data=json.dumps({"to": "+393331234567", "text": "123456"}).encode(),
        headers={"Idempotency-Key": "one"},
    )
    answers = []
    for _ in range(2):
        with urllib.request.urlopen(request) as answer:
            answers.append(json.load(answer)["id"])
    assert answers[0] == answers[1]
    outbox = bare_suite.folder / "outbox"
    assert len(list(outbox.glob("*-ada@example.org.eml"))) == 1
    (sms,) = outbox.glob("*-+393331234567.sms")
    assert sms.read_text() == "123456"


def test_the_certificate_verifies_and_secrets_are_private(bare_suite: Suite) -> None:
    tls = bare_suite.folder / "tls"
    make_authority(tls)
    before = (tls / "server.pem").read_text()
    make_authority(tls)
    assert (tls / "server.pem").read_text() == before
    assert "OK" in openssl(
        "verify", "-CAfile", str(tls / "ca.pem"), "-verify_hostname", "localhost",
        str(tls / "server.pem"),
    )  # fmt: skip
    private = [tls / "server.key", tls / "ca.key", *(bare_suite.folder / "secrets").iterdir()]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in private)
