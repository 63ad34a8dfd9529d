"""The document that the gateway serves."""

import json

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

import examples
from client import Api

NEEDS = ["gateway", "auth"]


def test_the_document_is_valid_openapi_3_1(visitor: Api) -> None:
    document = visitor.get("/openapi.json")
    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()
    # And it does look: one without a title is refused.
    with pytest.raises(OpenAPIValidationError):
        OpenAPIV31SpecValidator({**document, "info": {"version": "1"}, "paths": {}}).validate()


def test_the_document_describes_no_internal_endpoint(visitor: Api) -> None:
    document = visitor.get("/openapi.json")
    assert "/v1/users" in document["paths"]
    assert not [path for path in document["paths"] if path.startswith("/internal")]


def test_every_described_endpoint_is_there(visitor: Api) -> None:
    """Without a session each answers something other than 404 or 405, or is public."""
    document = visitor.get("/openapi.json")
    for path, operations in document["paths"].items():
        concrete = path
        while "{" in concrete:
            before, _, rest = concrete.partition("{")
            concrete = before + "0190a5a0-0000-7000-8000-000000000000" + rest.partition("}")[2]
        for method in set(operations) & {"get", "post", "put", "patch", "delete"}:
            answer = visitor.send(method.upper(), concrete)
            if operations[method].get("security"):
                assert answer.status_code in (401, 400, 415, 422), (method, path, answer.text)
            else:
                assert answer.status_code != 405 and answer.status_code < 500, (method, path)


def test_every_operation_has_an_example_that_its_schemas_take(visitor: Api) -> None:
    """`deploy/examples` records what is missing here."""
    document = visitor.get("/openapi.json")
    committed = json.loads(examples.FILE.read_text())
    assert examples.faults(document, committed) == []
    assert set(committed) <= set(examples.operations(document))
    # And it does look: an example of another type is refused.
    spoilt = committed | {"getMe": {"status": 200, "response": {"id": 7}}}
    assert examples.faults(document, spoilt)
