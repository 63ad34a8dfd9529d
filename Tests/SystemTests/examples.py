"""Examples for the OpenAPI document: requests and answers of the system tests, without the tests'
random names, identifiers and secrets. `deploy/examples` records them.

    python examples.py FOLDER     adds what FOLDER's files recorded to the committed examples
"""

import itertools
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    import httpx

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "Services" / "Gateway" / "Service" / "Examples" / "examples.json"
#: The folder that recordings go to; nothing is recorded without it.
FOLDER = os.environ.get("EZWALLET_EXAMPLES")
METHODS = ("get", "post", "put", "patch", "delete")
#: Larger answers teach nobody more.
LENGTH_MAX = 2_500
ITEMS_MAX = 2
NAMES = ["anna", "ben", "carla", "david", "emma", "felix", "greta", "hugo"]
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
#: Names that the tests make end with random hexadecimal digits.
PERSON = re.compile(r"\b[^\W\d_]{1,8}(?=[0-9a-f]*\d)[0-9a-f]{10,12}\b")
SECRET = re.compile(r"(?<![\w.-])(?:[\w.-]{40,}|[A-Z2-7]{32})(?![\w.-])")
DIGEST = re.compile(r"[0-9a-f]{40,}")
LOOPBACK = re.compile(r"https?://(?:127\.0\.0\.1|localhost):\d+")


def operations(document: dict[str, Any]) -> dict[str, tuple[str, re.Pattern[str], dict[str, Any]]]:
    """Method, path as a pattern and description of each operation, by its name."""
    found = {}
    for path, methods in document["paths"].items():
        # A literal step comes before a parameter: `/v1/users/me` is no `/v1/users/{id}`.
        pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$")
        for method in METHODS:
            if operation := methods.get(method):
                found[operation["operationId"]] = (method.upper(), pattern, operation | {"@": path})
    return found


def without_chance(tree: Any) -> Any:
    """The same with fixed names, identifiers and secrets, and short lists."""
    ids: dict[str, str] = {}
    people: dict[str, str] = {}

    def identifier(found: re.Match[str]) -> str:
        return ids.setdefault(found[0], f"0190a5a0-0000-7000-8000-{len(ids) + 1:012x}")

    def person(found: re.Match[str]) -> str:
        return people.setdefault(found[0], NAMES[len(people) % len(NAMES)])

    def secret(found: re.Match[str]) -> str:
        text = found[0]
        words = "0123456789abcdef" if DIGEST.fullmatch(text) else "ZXhhbXBsZQ"
        return "".join(itertools.islice(itertools.cycle(words), min(len(text), 64)))

    def text(value: str) -> str:
        value = PERSON.sub(person, UUID.sub(identifier, value))
        return LOOPBACK.sub("https://localhost:8443", SECRET.sub(secret, value))

    def walk(value: Any) -> Any:
        match value:
            case dict():
                return {text(key): walk(part) for key, part in value.items()}
            case list():
                return [walk(part) for part in value[:ITEMS_MAX]]
            case str():
                return text(value)
        return value

    return walk(tree)


class Recorder:
    """The best example of each operation that the tests have called so far."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self.best: dict[str, tuple[int, dict[str, Any]]] = {}

    def note(self, document: Any, method: str, path: str, sent: Any, answer: "httpx.Response"):
        """Keeps the call where it is a better example than the one before."""
        if not 200 <= answer.status_code < 300:
            return
        if not self.known:
            described = document()
            self.known = operations(described)
            Path(FOLDER or ".").mkdir(parents=True, exist_ok=True)
            (Path(FOLDER or ".") / "openapi.json").write_text(json.dumps(described))
        path = path.partition("?")[0]
        names = [
            name for name, (verb, pattern, _) in self.known.items()
            if verb == method and pattern.match(path)
        ]  # fmt: skip
        if not names:
            return
        name = min(names, key=lambda one: self.known[one][2]["@"].count("{"))
        example: dict[str, Any] = {"status": answer.status_code}
        if sent is not None:
            example["request"] = sent
        if "json" in answer.headers.get("content-type", "") and answer.content:
            example["response"] = answer.json()
        example = without_chance(example)
        example["tagged"] = "etag" in answer.headers
        usual = str(answer.status_code) == min(
            status for status in self.known[name][2]["responses"] if status.startswith("2")
        )
        length = len(json.dumps(example))
        worth = (length if length < LENGTH_MAX else LENGTH_MAX - length) + 10_000 * usual
        if name not in self.best or worth > self.best[name][0]:
            self.best[name] = (worth, example)

    def write(self) -> None:
        """Leaves what was recorded in the folder."""
        if not (FOLDER and self.best):
            return
        (Path(FOLDER) / f"{os.getpid()}.json").write_text(
            json.dumps({name: [worth, example] for name, (worth, example) in self.best.items()})
        )


RECORDER = Recorder()


def faults(document: dict[str, Any], examples: dict[str, Any]) -> list[str]:
    """What is wrong with examples: operations without one, and those that their schema refuses."""
    wrong = []
    for name, (_, _, operation) in operations(document).items():
        request = operation.get("requestBody", {}).get("content", {}).get("application/json")
        answers = {
            status: content["schema"]
            for status, response in operation["responses"].items() if status.startswith("2")
            for kind, content in response.get("content", {}).items() if kind.endswith("json")
        }  # fmt: skip
        if not (request or answers):
            continue
        example = examples.get(name)
        if not example:
            wrong.append(f"{name}: no example")
            continue
        parts = [(request and request["schema"], example.get("request"), "request")]
        parts.append((answers.get(str(example["status"])), example.get("response"), "response"))
        for schema, value, part in parts:
            if not schema or value is None:
                # An empty list of answers, or a body that may be left out.
                if schema and part == "response":
                    wrong.append(f"{name}: no example of its {part}")
                continue
            validator = Draft202012Validator({**schema, "components": document["components"]})
            wrong += [f"{name}: {part}{one.json_path[1:]}: {one.message[:200]}"
                      for one in validator.iter_errors(value)]  # fmt: skip
    return wrong


def merge(folder: Path) -> None:
    """Adds recorded examples: one that stands stays, unless its schema refuses it now."""
    recorded: dict[str, tuple[int, dict[str, Any]]] = {}
    for file in sorted(folder.glob("*.json")):
        if file.name == "openapi.json":
            continue
        for name, (worth, example) in json.loads(file.read_text()).items():
            if name not in recorded or worth > recorded[name][0]:
                recorded[name] = (worth, example)
    document = json.loads((folder / "openapi.json").read_text())
    standing = json.loads(FILE.read_text()) if FILE.exists() else {}
    stale = {fault.partition(":")[0] for fault in faults(document, standing)}
    names = operations(document)
    kept = {name: example for name, example in standing.items()
            if name in names and name not in stale}  # fmt: skip
    fresh = {name: {key: part for key, part in example.items() if key != "tagged"}
             for name, (_, example) in recorded.items() if name in names}  # fmt: skip
    FILE.write_text(
        json.dumps(dict(sorted((fresh | kept).items())), indent=1, ensure_ascii=False) + "\n"
    )
    for fault in faults(document, fresh | kept):
        print(fault)


if __name__ == "__main__":
    merge(Path(sys.argv[1]))
