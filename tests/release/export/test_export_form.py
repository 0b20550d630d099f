from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.release.export.export_form import ExportForm, form_like


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("a,b\n1.5,x\n2.25,y\n", "utf-8", ExportForm()),
        ("a;b\n1,5;x\n2,25;y\n", "utf-8", ExportForm(delimiter=";", decimal=",")),
        ("größe\tb\n1,5\tZürich\n", "cp1252", ExportForm(delimiter="\t", decimal=",", encoding="cp1252")),
        ("a;b\n1,5;x\n", "utf-8-sig", ExportForm(delimiter=";", decimal=",", encoding="utf-8-sig")),
        ("a;b\n1,5;x\n", "utf-16", ExportForm(delimiter=";", decimal=",", encoding="utf-16")),
        ("a;b\n3;x\n4;y\n", "utf-8", ExportForm(delimiter=";")),
        ('a,b\n"1,5",x\n', "utf-8", ExportForm()),
    ],
)
def test_the_spelling_of_a_file_is_found(
    text: str, encoding: str, expected: ExportForm, tmp_path: Path
) -> None:
    (tmp_path / "like.csv").write_bytes(text.encode(encoding))
    assert form_like(tmp_path / "like.csv", ExportForm()) == expected


def test_an_encoding_shows_only_where_its_letters_stand(tmp_path: Path) -> None:
    path = tmp_path / "like.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n" * 200_000 + "2,ü\n".encode("cp1252"))
    assert form_like(path, ExportForm()).encoding == "cp1252"


def test_what_is_asked_for_besides_stays(tmp_path: Path) -> None:
    (tmp_path / "like.csv").write_text("a;b\n1,5;x\n")
    form = form_like(tmp_path / "like.csv", ExportForm(ends=True, escape=False))
    assert (form.ends, form.escape, form.delimiter) == (True, False, ";")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"delimiter": ",", "decimal": ","}, "the delimiter is the decimal mark as well"),
        ({"delimiter": ";;"}, "not a mark"),
        ({"delimiter": "a"}, "not a mark"),
        ({"delimiter": '"'}, "not a mark"),
        ({"delimiter": ""}, "not a mark"),
        ({"decimal": "'"}, "neither a point nor a comma"),
        ({"encoding": "klingon"}, "there is no encoding 'klingon'"),
        ({"encoding": "ascii"}, "there is no encoding 'ascii'"),
        ({"encoding": "base64"}, "there is no encoding 'base64'"),
    ],
)
def test_forms_that_no_file_has_are_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(ShoalError, match=message):
        ExportForm(**given)


def test_a_file_to_be_like_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(ShoalError, match="there is no file"):
        form_like(tmp_path / "none.csv", ExportForm())
