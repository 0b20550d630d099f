"""``shoal schema``: what an editor needs to check a policy while it is written."""

import tomllib

import pytest

from shoal.policy.model.policy import Policy

from .conftest import POLICY, Command


def test_the_schema_describes_a_policy(process: Command) -> None:
    result = process("schema")
    assert (result.code, result.err) == (0, "")
    assert result.json["$schema"].startswith("https://json-schema.org/")
    assert set(result.json["properties"]) == set(Policy.model_fields)
    assert result.json["required"] == ["columns", "guarantees"]


def test_the_schema_is_json_with_or_without_asking(command: Command) -> None:
    assert command("schema", "--json").json == command("schema").json


def test_the_schema_knows_every_word_of_a_policy(command: Command) -> None:
    schema = command("schema").json
    guarantee = tomllib.loads(POLICY)["guarantees"][0]
    described = schema["$defs"]["KfAnonymity"]
    assert described["properties"]["kind"]["const"] == guarantee["kind"]
    assert set(guarantee) <= set(described["properties"])
    assert described["properties"]["k"]["minimum"] == 2


def test_the_schema_refuses_what_the_policy_refuses(command: Command) -> None:
    schema = command("schema").json
    assert schema["additionalProperties"] is False
    roles = schema["properties"]["columns"]["additionalProperties"]["enum"]
    assert roles == ["identifier", "drop", "quasi", "sensitive", "other"]


@pytest.mark.parametrize("kind", ["KAnonymity", "KfAnonymity"])
def test_every_guarantee_is_described(command: Command, kind: str) -> None:
    assert command("schema").json["$defs"][kind]["description"]
