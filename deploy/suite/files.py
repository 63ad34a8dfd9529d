"""Secrets and certificates: made once, kept with mode 0600."""

import os
import secrets
import subprocess
from pathlib import Path
from typing import BinaryIO


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read, whole or not at all."""
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    temporary.rename(path)


def append_private(path: Path) -> BinaryIO:
    """Opens a file to append to, which only its owner may read, also one of before."""
    file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")
    os.fchmod(file.fileno(), 0o600)
    return file


def secret(folder: Path, name: str) -> Path:
    """The file of a secret of 256 random bits, in hexadecimal, made on first use."""
    path = folder / name
    if not path.exists():
        write_private(path, secrets.token_hex(32))
    return path


def openssl(*arguments: str, input: str | None = None) -> str:
    """Runs openssl and returns what it printed."""
    done = subprocess.run(
        ["openssl", *arguments], input=input, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def expires_soon(certificate: Path) -> bool:
    """Whether a certificate is absent or ends within 30 days."""
    if not certificate.exists():
        return True
    check = ["openssl", "x509", "-in", str(certificate), "-noout", "-checkend", "2592000"]
    return subprocess.run(check, capture_output=True, check=False).returncode != 0


def make_key(path: Path) -> None:
    """Makes a P-256 key."""
    curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    write_private(path, openssl("genpkey", *curve))


def make_authority(folder: Path) -> None:
    """A private authority in `ca.pem` and a server certificate signed by it in `server.pem`."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    authority, authority_key = folder / "ca.pem", folder / "ca.key"
    server, server_key = folder / "server.pem", folder / "server.key"
    if not authority_key.exists() or expires_soon(authority):
        make_key(authority_key)
        openssl(
            "req", "-x509", "-new", "-key", str(authority_key), "-out", str(authority),
            "-days", "3650", "-subj", "/CN=EZWallet private authority",
            "-addext", "basicConstraints=critical,CA:TRUE,pathlen:0",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        )  # fmt: skip
        server.unlink(missing_ok=True)
    if not server_key.exists() or expires_soon(server):
        make_key(server_key)
        request = openssl("req", "-new", "-key", str(server_key), "-subj", "/CN=localhost")
        extensions = folder / "server.ext"
        extensions.write_text(
            "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n"
            "extendedKeyUsage=serverAuth\n"
            "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\n"
        )
        openssl(
            "x509", "-req", "-CA", str(authority), "-CAkey", str(authority_key),
            "-set_serial", f"0x{secrets.token_hex(16)}", "-days", "397",
            "-extfile", str(extensions), "-out", str(server), input=request,
        )  # fmt: skip
        extensions.unlink()
