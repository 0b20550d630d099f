import tomllib
from typing import Any

import pytest

from tests.web.conftest import BROWSER, Page

TABLE = "name,age,salary,gains,illness\n" + "\n".join(
    f"Person {row},{20 + row % 40},{1000 + 13 * row},{7 * row},{('flu', 'cold', 'heart')[row % 3]}"
    for row in range(60)
)
POLICY = """
[columns]
name = "identifier"
age = "quasi"
salary = "quasi"
gains = "quasi"
illness = "sensitive"

[[guarantees]]  # mine
kind = "kf-anonymity"
k = 10
knows = ["salary + gains"]
within = 0.05
also = ["age"]
"""


@pytest.fixture(scope="module")
def table(page: Page) -> str:
    return page.begun(TABLE, "guarantee.csv")


@pytest.fixture
def address(page: Page, table: str) -> str:
    """A table whose policy is the one above."""
    assert page.put(f"{table}/policy", data={"text": POLICY}).json()["sound"]
    return table


def asked(page: Page, address: str) -> list[dict[str, Any]]:
    policy = tomllib.loads(page.get(f"{address}/guarantee").json()["text"])
    return policy.get("guarantees", [])


def test_a_promise_is_a_sentence_with_fields(page: Page, address: str) -> None:
    found = page.get(f"{address}/guarantee").json()
    (card,) = found["guarantees"]
    assert card["sentence"].startswith("someone who knows salary + gains and age of a person")
    fields = {field["name"]: field for field in card["fields"]}
    assert fields["k"]["values"] == ["10"]
    assert fields["within"]["values"] == ["5"]
    assert fields["knows"]["columns"] == ["salary", "gains"]
    assert [value for value, _ in fields["also"]["choices"]] == ["age", "salary", "gains"]
    assert found["method"]["picked"] == "residual"
    assert "cannot give kf-anonymity" in str([one for one in found["method"]["methods"] if not one["suits"]])
    assert found["explanations"]["kf-anonymity"]["before"]["rows"]


def test_the_page_has_cards_and_the_text_beside(page: Page, address: str) -> None:
    shown = page.get(f"{address}/guarantee", headers=BROWSER).text
    assert "Someone who knows salary + gains" in shown
    assert "# mine" in shown
    assert "The policy is sound" in shown
    assert "It proves no compliance" in shown
    assert "style=" not in shown


def test_a_card_changes_the_text(page: Page, address: str) -> None:
    form = {
        "kind": "kf-anonymity",
        "k": "12",
        "total": ["", "salary"],
        "within": "2.5",
        "also": ["", "age", "gains"],
    }
    answer = page.post(f"{address}/guarantees/1", data=form | {"knows": "max(age, gains)"})
    assert answer.json()["guarantees"][0]["sentence"]
    assert asked(page, address) == [
        {
            "kind": "kf-anonymity",
            "k": 12,
            "knows": ["salary", "max(age, gains)"],
            "within": 0.025,
            "also": ["age", "gains"],
        }
    ]


def test_people_are_led_back_to_the_page(page: Page, address: str) -> None:
    answer = page.post(f"{address}/guarantees/1", data={"k": "5"}, headers=BROWSER, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{address}/guarantee")


def test_a_faulty_text_is_kept_and_said(page: Page, address: str) -> None:
    text = POLICY.replace("k = 10", "k = 10\nwithn = 1") + "[method]\nsupression = 0.1\n"
    answer = page.put(f"{address}/policy", data={"text": text}).json()
    assert not answer["sound"]
    assert answer["text"] == text
    told = " ".join(fault["what"] for fault in answer["faults"])
    assert "withn" in told
    assert "supression" in told
    assert answer["guarantees"][0]["fields"]


def test_a_text_that_is_no_toml_must_be_mended_first(page: Page, address: str) -> None:
    answer = page.put(f"{address}/policy", data={"text": "[columns\r\na"}).json()
    assert (answer["readable"], answer["sound"], answer["text"]) == (False, False, "[columns\na")
    assert "Mend it first" in page.get(f"{address}/guarantee", headers=BROWSER).text
    assert page.post(f"{address}/guarantees", data={"promise": "k-anonymity"}).status_code == 409


@pytest.mark.parametrize(
    "text",
    [
        "",
        "guarantees = 5",
        "columns = 5\nmethod = 3",
        "[columns]\na = 5\n[[guarantees]]\nkind = 3\n[[guarantees]]\nkind = 'none'",
        "[columns]\na = 'quasi'\n[[guarantees]]\nkind = 'kf-anonymity'\nk = 'x'\nknows = 3\nwithin = [1]",
        "[columns]\na = 'quasi'\n[[guarantees]]\nkind = 'l-diversity'\nvariant = 3\nsensitive = [1, 'b']",
        "[columns]\na = 'quasi'\n[method]\nname = 3\noptions = 2\nweights = [1]\nsuppression = true\n"
        "[[guarantees]]\nkind = 'k-anonymity'\nk = true",
        "guarantees = [1, 2]\n[method]\nsuppression = nan\n[method.options]\nsubsets = [1]",
    ],
)
def test_whatever_the_text_says_the_page_is_there(page: Page, address: str, text: str) -> None:
    assert page.put(f"{address}/policy", data={"text": text}).json()["sound"] is False
    assert page.get(f"{address}/guarantee", headers=BROWSER).status_code == 200
    assert page.post(f"{address}/method", data={"suppression": "1"}).status_code == 200


@pytest.mark.parametrize(
    "promise", ["k-anonymity", "npd-recursive-l-diversity", "t-closeness", "kf-anonymity"]
)
def test_a_promise_can_be_added_and_removed(page: Page, address: str, promise: str) -> None:
    added = page.post(f"{address}/guarantees", data={"promise": promise}).json()
    assert added["sound"], added["faults"]
    assert added["guarantees"][1]["explained"] == promise
    removed = page.post(f"{address}/guarantees/2/remove").json()
    assert len(removed["guarantees"]) == 1


def test_what_cannot_be_promised_says_why(page: Page, address: str) -> None:
    answer = page.put(f"{address}/policy", data={"text": POLICY.replace('"sensitive"', '"other"')}).json()
    why = {one["name"]: one["why_not"] for one in answer["promises"]}
    assert why["k-anonymity"] is None
    assert "no column is sensitive" in why["l-diversity"]
    refused = page.post(f"{address}/guarantees", data={"promise": "l-diversity"})
    assert refused.status_code == 400


def test_another_variant_brings_what_it_needs(page: Page, address: str) -> None:
    page.post(f"{address}/guarantees", data={"promise": "l-diversity"})
    page.post(f"{address}/guarantees/2", data={"variant": "npd-recursive", "allowed": "flu\r\ncold"})
    assert (
        asked(page, address)[1]
        == {
            "kind": "l-diversity",
            "l": 3,
            "variant": "npd-recursive",
            "c": 4,
            "c2": 5,
            "allowed": ["flu", "cold"],
            "sensitive": "illness",
        }
        or asked(page, address)[1]["c2"] == 5
    )
    page.post(f"{address}/guarantees/2", data={"variant": "distinct"})
    assert asked(page, address)[1] == {"kind": "l-diversity", "l": 3, "sensitive": "illness"}


def test_a_preset_replaces_promises_and_suppression(page: Page, address: str) -> None:
    found = page.post(f"{address}/preset", data={"preset": "public"}).json()
    assert found["sound"]
    assert asked(page, address) == [
        {"kind": "k-anonymity", "k": 20},
        {"kind": "l-diversity", "l": 3, "sensitive": "illness"},
    ]
    assert found["method"]["suppression"] == "5"
    assert page.post(f"{address}/preset", data={"preset": "nothing"}).status_code == 400


def test_the_method_and_its_options(page: Page, address: str) -> None:
    form = {"name": "mondrian", "suppression": "2", "weight_of": ["age", ""], "weight": ["2.5", ""]}
    page.post(f"{address}/method", data=form)
    found = page.post(f"{address}/method", data={"option.relaxed": "true"}).json()
    assert found["sound"], found["faults"]
    method = tomllib.loads(found["text"])["method"]
    assert method == {
        "name": "mondrian",
        "suppression": 0.02,
        "weights": {"age": 2.5},
        "options": {"relaxed": True},
    }
    page.post(f"{address}/method", data={"name": "auto"})
    assert "options" not in tomllib.loads(page.get(f"{address}/guarantee").json()["text"])["method"]


def test_a_method_that_cannot_serve_is_a_fault(page: Page, address: str) -> None:
    found = page.post(f"{address}/method", data={"name": "optimal"}).json()
    assert not found["sound"]
    assert "cannot give kf-anonymity" in found["faults"][0]["what"]


def test_unknown_fields_are_refused(page: Page, address: str) -> None:
    assert "'kk'" in page.post(f"{address}/guarantees/1", data={"kk": "5"}).json()["faults"][0]["what"]
    assert page.post(f"{address}/method", data={"nmae": "auto"}).status_code == 400
    assert page.put(f"{address}/policy", data={"txt": "a"}).status_code == 422
    assert page.post(f"{address}/guarantees/9", data={"k": "5"}).status_code == 404
    assert page.post(f"{address}/guarantees/9/remove").status_code == 400
    assert page.post(f"{address}/guarantees/1", data={"kind": "k-anonymity"}).status_code == 409


def test_names_of_columns_are_text_only(page: Page, table: str) -> None:
    names = ["<script>alert(1)</script>", 'a"b', "two\nlines", "x" * 300, "\u202eabc"]
    columns = "\n".join(f'{toml_name(name)} = "quasi"' for name in names)
    text = f'[columns]\n{columns}\n[[guarantees]]\nkind = "kf-anonymity"\nk = 2\nknows = ["x"]\n'
    page.put(f"{table}/policy", data={"text": text})
    form = {"total": [name.replace("\n", "\r\n") for name in names]}
    found = page.post(f"{table}/guarantees/1", data=form).json()
    assert found["sound"], found["faults"]
    assert {field["name"]: field for field in found["guarantees"][0]["fields"]}["knows"]["columns"] == names
    shown = page.get(f"{table}/guarantee", headers=BROWSER).text
    assert "<script>alert" not in shown
    assert "<bdi>\\u202eabc</bdi>" in shown


def toml_name(name: str) -> str:
    return '"' + name.replace('"', '\\"').replace("\n", "\\n").replace("\u202e", "\\u202e") + '"'


def test_files_outside_the_folders_are_not_read(page: Page, address: str) -> None:
    text = POLICY + '[hierarchies]\nage = "/etc/hostname"\n'
    answer = page.put(f"{address}/policy", data={"text": text}).json()
    assert "outside the folders" in answer["faults"][0]["what"]
    assert "outside the folders" in str(page.post(f"{address}/method", data={"name": "mondrian"}).json())


def test_two_hundred_columns_stay_a_page(page: Page, table: str) -> None:
    names = [f"column number {number} of the table" for number in range(200)]
    columns = "\n".join(f'"{name}" = "quasi"' for name in names)
    total = " + ".join(f'\\"{name}\\"' for name in names)
    text = f'[columns]\n{columns}\n[[guarantees]]\nkind = "kf-anonymity"\nk = 2\nknows = ["{total}"]\n'
    assert page.put(f"{table}/policy", data={"text": text}).json()["sound"]
    assert len(page.get(f"{table}/guarantee", headers=BROWSER).content) < 200_000


def test_a_form_made_from_another_text_is_refused(page: Page, address: str) -> None:
    stale = page.post(f"{address}/guarantees", data={"promise": "l-diversity"}).json()["made_from"]
    now = page.post(f"{address}/guarantees/1/remove", data={"made_from": stale}).json()
    assert now["made_from"] != stale
    for where, form in (("1/remove", {}), ("1", {"l": "2"})):
        refused = page.post(f"{address}/guarantees/{where}", data=form | {"made_from": stale})
        assert refused.status_code == 409
        assert refused.json()["faults"][0]["what"] == "this has changed meanwhile"
    assert page.post(f"{address}/preset", data={"preset": "wp29", "made_from": stale}).status_code == 409
    assert asked(page, address) == [{"kind": "l-diversity", "l": 3, "sensitive": "illness"}]


def test_a_text_that_comes_too_late_is_there_to_copy(page: Page, address: str) -> None:
    form = {"text": "# typed by me\n", "made_from": "0" * 16}
    refused = page.put(f"{address}/policy", data=form, headers=BROWSER)
    assert refused.status_code == 409
    assert "This has changed meanwhile" in refused.text
    assert "# typed by me" in refused.text.split('id="typed"')[1].split("</textarea>")[0]
    assert "# mine" in refused.text.split('id="text"')[1].split("</textarea>")[0]
    assert page.get(f"{address}/guarantee").json()["text"] == POLICY
    assert page.put(f"{address}/policy", data={"text": POLICY, "made_from": "0" * 16}).status_code == 200


def test_a_preset_can_be_undone_and_done_again(page: Page, address: str) -> None:
    taken = page.post(f"{address}/preset", data={"preset": "public"}).json()
    assert taken["can_undo"]
    form = {"to": "previous"}
    assert page.post(f"{address}/policy/back", data=form | {"made_from": "0"}).status_code == 409
    back = page.post(f"{address}/policy/back", data=form | {"made_from": taken["made_from"]})
    assert back.json()["text"] == POLICY
    assert page.post(f"{address}/policy/back", data=form).json()["text"] == taken["text"]


def test_a_typing_error_shows_its_line_and_the_way_back(page: Page, address: str) -> None:
    wrong = page.put(f"{address}/policy", data={"text": POLICY.replace("k = 10", "k = ten")}).json()
    assert wrong["line"] == {"number": 11, "text": "k = ten"}
    assert "in line 11" in wrong["faults"][0]["what"]
    page.put(f"{address}/policy", data={"text": POLICY.replace("k = 10", "k = tenn")})
    shown = page.get(f"{address}/guarantee", headers=BROWSER).text
    assert "Go back to the last sound text" in shown
    back = page.post(f"{address}/policy/back", data={"to": "sound"}).json()
    assert (back["text"], back["sound"], back["can_go_back"]) == (POLICY, True, False)


def test_options_have_words(page: Page, address: str) -> None:
    found = page.post(f"{address}/method", data={"name": "mondrian"}).json()["method"]
    assert "relaxed" not in {one["label"] for one in found["options"]}
    assert not any("_" in says or "(" in says for _, says in found["objectives"])
