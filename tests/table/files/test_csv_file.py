"""CSV files in the dialects people send."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShoalError
from shoal.table.files.csv_file import sniff
from shoal.table.files.reading import Reading
from shoal.table.read import read_table
from shoal.table.table import Table
from tests.draws import draws

EXPECTED = {"name": ["Zoë", "Jo, Ann"], "pay": ["1250.50", None]}


@pytest.fixture
def written(tmp_path):
    """Write bytes or text under a name and give the path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(path):
    with pytest.raises(ShoalError) as refused:
        read_table(path)
    return str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        'name,pay\nZoë,1250.50\n"Jo, Ann",\n',
        "name;pay\nZoë;1250.50\nJo, Ann;\n",
        "name\tpay\nZoë\t1250.50\nJo, Ann\t\n",
        "name|pay\nZoë|1250.50\nJo, Ann|\n",
        '"name","pay"\n"Zoë","1250.50"\n"Jo, Ann",\n',
        "'name','pay'\n'Zoë','1250.50'\n'Jo, Ann',\n",
        'name,pay\r\nZoë,1250.50\r\n"Jo, Ann",\r\n',
        'name,pay\rZoë,1250.50\r"Jo, Ann",\r',
        "name;pay\nZoë;1250.50\nJo, Ann;",
        ' name , pay\nZoë,1250.50\n"Jo, Ann",\n',
        '\n\nname,pay\nZoë,1250.50\n\n"Jo, Ann",\n\n',
    ],
    ids=["comma", "semicolon", "tab", "pipe", "double quotes", "single quotes", "crlf", "cr",
         "no last line end", "spaces around names", "blank lines"],
)  # fmt: skip
def test_every_dialect_gives_the_same_cells(text, written):
    assert read_table(written(text)).arrow.to_pydict() == EXPECTED


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_every_encoding_gives_the_same_cells(encoding, packed, written):
    content = 'name,pay\nZoë,1250.50\n"Jo, Ann",\n'.encode(encoding)
    path = written(gzip.compress(content, mtime=0), "table.csv.gz") if packed else written(content)
    assert read_table(path).arrow.to_pydict() == EXPECTED


def test_utf_16_is_read_in_both_byte_orders(written):
    big_endian = b"\xfe\xff" + "name,pay\nZoë,1\n".encode("utf-16-be")
    assert read_table(written(big_endian)).arrow.to_pydict() == {"name": ["Zoë"], "pay": ["1"]}


@pytest.mark.parametrize("name", ["TABLE.CSV", "table.tsv", "table.txt"])
def test_the_delimiter_is_found_whatever_the_file_is_called(name, written):
    assert read_table(written("a\tb\n1\t2\n", name)).names == ["a", "b"]


def test_cells_are_kept_to_the_letter(written):
    text = 'zip,when,answer,note\n007,2020-01-02,NA,"he said ""no"""\n1e5,1/2/20,null,""\n'
    assert read_table(written(text)).arrow.to_pydict() == {
        "zip": ["007", "1e5"],
        "when": ["2020-01-02", "1/2/20"],
        "answer": ["NA", "null"],
        "note": ['he said "no"', ""],
    }


def test_a_cell_may_hold_line_ends_and_delimiters(written):
    table = read_table(written('a,b\n"x\ny,\r\nz",1\n2,3\n'), reading=Reading(multiline=("a",)))
    assert table.arrow.to_pydict() == {"a": ["x\ny,\r\nz", "2"], "b": ["1", "3"]}


@pytest.mark.parametrize("mark", ["\u2028", "\x0b", "\x85"])
def test_only_real_line_ends_end_a_line(mark, written):
    assert read_table(written(f"a{mark}b,c\n1,2\n")).names == [f"a{mark}b", "c"]


def test_one_column_needs_no_delimiter(written):
    assert read_table(written("pay\n10\n20\n")).arrow.to_pydict() == {"pay": ["10", "20"]}


def test_a_blank_line_in_one_column_is_a_missing_cell_not_a_lost_record(written):
    assert read_table(written("\npay\n10\n\n20\n")).arrow.to_pydict() == {"pay": ["10", None, "20"]}


plain_cells = st.text("abc019 .,;|\t\"'\n-", max_size=6)


@draws(200)
@given(
    st.sampled_from(",;\t|"),
    st.lists(st.tuples(plain_cells, plain_cells), min_size=1, max_size=5),
)
def test_what_is_written_with_quotes_is_read_back(tmp_path_factory, delimiter, rows):
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    lines = [("first", "second"), *rows]
    quoted = [delimiter.join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines]
    path.write_bytes("\n".join(quoted).encode() + b"\n")
    assert sniff(path).delimiter == delimiter
    table = read_table(path)
    assert list(zip(*table.arrow.to_pydict().values(), strict=True)) == rows


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ("a,,b", "the header of table.csv has no name at position 2"),
        ("a,b,", "the header of table.csv has no name at position 3"),
        (" ,b, ", "the header of table.csv has no name at position 1, 3"),
        ("a,b,a", "the header of table.csv has the same name more than once, at position 1, 3"),
        ("a, a", "the header of table.csv has the same name more than once, at position 1, 2"),
    ],
)
def test_a_faulty_header_is_refused(header, complaint, written):
    assert refusal(written(f"{header}\n" + ",".join("123"[: header.count(",") + 1]))).startswith(complaint)


def test_all_faults_of_a_header_are_reported_at_once(written):
    with pytest.raises(ShoalError) as refused:
        read_table(written("a,,a\n1,2,3\n"))
    assert len(refused.value.faults) == 2


def test_ragged_rows_are_named_by_line_and_never_shown(written):
    message = refusal(written("a,b\n1,2\nsecret\nhidden,4,private\n5,6\n"))
    assert "the header of table.csv has 2 columns, but line 3 has 1; line 4 has 3 cells" in message
    assert not any(word in message for word in ("secret", "hidden", "private"))


def test_lines_of_ragged_rows_count_blank_lines_and_line_ends_in_cells(written):
    assert "line 6 has 1 cells" in refusal(written('a,b\n"x\ny\nz",1\n\nsecret\n'))


def test_only_the_first_ragged_rows_are_listed(written):
    message = refusal(written("a,b\n" + "1\n" * 1007))
    assert "line 6 has 1 cells and 1,002 more" in message


@pytest.mark.parametrize("content", ["", "\n\n", "  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(content, written):
    assert refusal(written(content)).startswith("table.csv is empty")


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\r\n\r\n"])
def test_a_header_alone_is_refused(content, written):
    assert refusal(written(content)).startswith("table.csv has a header but no rows")


def test_bytes_that_are_no_text_are_refused(written):
    assert refusal(written(b"a,b\n1,\x81\x8d\n")).startswith("table.csv is not text")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a,b\n1,2\n", "ends in .gz but is not gzip"),
        (gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-20], "is cut off or damaged"),
    ],
    ids=["plain", "cut"],
)
def test_a_broken_gzip_file_is_refused(content, complaint, written):
    assert refusal(written(content, "table.csv.gz")).startswith(f"table.csv.gz {complaint}")


def test_faulty_cells_are_named_by_their_line_in_the_file(written):
    table: Table = read_table(written('\nnote,pay\n"two\nlines",1\nx,oops\ny,2\nz,oops\n'))
    with pytest.raises(ShoalError, match=r"2 of 4 cells that are text, not numbers \(lines 5, 7\)"):
        table.numbers("pay")


BLANKS = [
    '"age" "sex" "pay"\n"1" 23 "f" 100\n"2" 31 "m" 200\n',
    '"age"  "sex"\n23 "f"\n31 "m"\n',
    "age sex pay\n23 f 100\n31 m 200\n",
]


@pytest.mark.parametrize("text", BLANKS)
def test_blanks_between_cells_are_no_delimiter_and_it_is_said(text, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(ShoalError, match=r"the delimiter of table\.csv was not recognized") as caught:
        read_table(path)
    assert "shoal reads commas, semicolons, tabs and vertical bars" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["full name\nAnn Smith\nBob Miller\n", "remark on it\nshe came\nnone\n", "age\n23\n31\n"]
)
def test_one_column_of_words_is_read(text, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text)
    assert len(read_table(path).names) == 1


def test_row_names_without_a_name_are_told_as_such(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('"age","sex"\n"1",23,"f"\n"2",31,"m"\n')
    with pytest.raises(ShoalError, match="the first column, of row names perhaps, has no name") as caught:
        read_table(path)
    assert "put a name and a delimiter in front of the first line" in str(caught.value)
