"""Every address, as its schema says it is: asked with all that fits the schema and much that does not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from shoal.web.app import make_app, unguarded_app
from shoal.web.problem import PROBLEMS
from shoal.web.settings import Settings
from shoal.web.workspace import Workspace
from tests.web.conftest import PORT, Page, settings_in
from tests.web.pages.test_run import give_policy, policy
from tests.web.raw import BEARER
from tests.web.scripted_worker import COMMAND

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
BASE = f"http://127.0.0.1:{PORT}"
FORMS = [
    b"",
    b"folder=%zz&path=%",
    b"path=%00",
    b"path=%ed%a0%80&folder=0",
    b"path=\xff\xfe",
    b"folder=" + b"9" * 5000 + b"&path=a",
    b"folder=1e400&path=a",
    b"folder=nan&path=a",
    b"folder=-0&path=a",
    b"path=a&path=b&folder=1&folder=2",
    b"path[]=a",
    b"&".join(b"path=a" for _ in range(2000)),
    b'{"path": "\\ud800"}',
    b"--x\r\ncontent-disposition: form-data; name=path\r\n\r\na\r\n--x--\r\n",
    b"--x\r\ncontent-disposition: form-data; name=path; filename=a\r\n\r\na\r\n--x--\r\n",
]
NUMBERS = ["nan", "-inf", "sNaN", "1e99999", "1e-99999", "9" * 5000, "\u0663", "\0", "1,,2", ",", "-1"]
KINDS = [
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=utf-16",
    "application/x-www-form-urlencoded; charset=nonsense",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "multipart/form-data; boundary=x; charset=nonsense",
    "application/json",
    "text/plain",
    "nonsense",
    "",
]


def documented() -> dict[str, Any]:
    """Nothing is opened to know it."""
    nowhere = Path("nowhere")
    return unguarded_app(Settings((nowhere,), nowhere, PORT), Workspace(nowhere)).openapi()


SCHEMA = documented()
SPOILING = ("/forget", "/read-again")  # take tables away, or let the scripted worker look at them
OPERATIONS = sorted((method.upper(), path) for path, found in SCHEMA["paths"].items() for method in found)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, dict[str, Any]]]:
    """A page with a table and a run of it: what addresses speak of."""
    settings = settings_in(tmp_path_factory.mktemp("api"))
    app = make_app(settings, Workspace.opened(settings.workspace))
    with Page(app, base_url=BASE, headers=dict([BEARER]), raise_server_exceptions=False) as page:
        page.folder, page.workspace = settings.folders[0], settings.workspace
        address = page.begun()
        give_policy(page, address, policy())
        page.post(f"{address}/runs")
        assert page.finished(f"{address}/jobs/run-1")["state"] == "done"
        page.post(f"{address}/jobs/measure-1/cancel")  # what follows by itself takes long
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("shoal.web.jobs.process.WORKER", COMMAND)
            yield (
                page,
                {
                    "table": address.removeprefix("/tables/"),
                    "number": 1,
                    "name": "run-1",
                    "index": 1,
                    "place": 0,
                },
            )


@pytest.fixture(scope="module")
def spare(
    known: tuple[Page, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Page, dict[str, Any]]]:
    """A page and a table to be spoilt, so that tests may come in any order."""
    settings = settings_in(tmp_path_factory.mktemp("spare"))
    app = make_app(settings, Workspace.opened(settings.workspace))
    with Page(app, base_url=BASE, headers=dict([BEARER]), raise_server_exceptions=False) as page:
        page.folder, page.workspace = settings.folders[0], settings.workspace
        yield page, {**known[1], "table": page.begun().removeprefix("/tables/")}


def sent(page: Page, case: Case) -> Any:
    """As a client that does not mend what it is given."""
    given = case.as_transport_kwargs(base_url=BASE)
    ready = requests.Request(**given).prepare()
    headers = {name: value for name, value in ready.headers.items() if name.lower() != "authorization"}
    return page.request(
        case.method, ready.url or "", headers=headers, content=ready.body or b"", follow_redirects=False
    )


def ask(page: Page, known: dict[str, Any], method: str, path: str, examples: int) -> None:
    """With what addresses speak of, and with anything."""
    operation = schemathesis.openapi.from_dict(SCHEMA)[path][method]
    places = {name: value for name, value in known.items() if f"{{{name}}}" in path}
    cases = st.one_of(
        operation.as_strategy(generation_mode=mode, **more)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        for more in ({"path_parameters": places}, {})
    )

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def holds(case: Case) -> None:
        case.validate_response(sent(page, case), checks=CHECKS)

    holds()


@pytest.mark.parametrize("kind", KINDS)
def test_forms_in_odd_clothes_are_refused_in_our_shape(known: tuple[Page, dict[str, Any]], kind: str) -> None:
    page, _ = known
    for form in FORMS:
        found = page.post("/tables", content=form, headers={"content-type": kind})
        assert found.status_code in (400, 403, 404, 422), (form, found.text)
        assert found.json()["faults"], form


@pytest.mark.parametrize("kind", ["intervals", "groups", "frequency", "dates", "mask"])
def test_numbers_beyond_all_bounds_are_refused(known: tuple[Page, dict[str, Any]], kind: str) -> None:
    page, places = known
    address = f"/tables/{places['table']}/columns/1"
    for value in NUMBERS:
        given = {"kind": kind, "value": value}
        for found in (page.get(address, params=given), page.post(address, data=given)):
            assert found.status_code in (200, 400), (value, found.text)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_address_answers_as_its_schema_says(
    known: tuple[Page, dict[str, Any]], spare: tuple[Page, dict[str, Any]], method: str, path: str
) -> None:
    ask(*(spare if path.endswith(SPOILING) else known), method, path, examples=5)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_address_answers_as_its_schema_says_at_length(
    known: tuple[Page, dict[str, Any]], spare: tuple[Page, dict[str, Any]], method: str, path: str
) -> None:
    ask(*(spare if path.endswith(SPOILING) else known), method, path, examples=200)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_address_is_explained(method: str, path: str) -> None:
    operation = SCHEMA["paths"][path][method.lower()]
    assert operation["summary"]
    assert operation["description"].strip().endswith((".", "!", "?")), "what it does, in a sentence"
    assert set(operation["responses"]) >= {str(status) for status in PROBLEMS}
    assert all(found["description"] for found in operation["responses"].values())
    assert operation["security"] == [{"HTTPBearer": []}]
    for parameter in operation.get("parameters", []):
        assert parameter["in"] in ("path", "query")


def test_the_token_is_documented() -> None:
    [(name, scheme)] = SCHEMA["components"]["securitySchemes"].items()
    assert name == "HTTPBearer"
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert "shoal serve" in scheme["description"]


def test_errors_have_one_shape() -> None:
    for path, operations in SCHEMA["paths"].items():
        for operation in operations.values():
            for status, found in operation["responses"].items():
                if int(status) >= 400:
                    shape = found["content"]["application/json"]["schema"]
                    assert shape == {"$ref": "#/components/schemas/Problem"}, f"{path}: {status}"
