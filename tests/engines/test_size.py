import gzip

from shoal.engines.size import IMPORTED, bytes_needed, fits


def test_a_packed_file_is_counted_as_what_it_holds(tmp_path):
    text = b"age,pay\n" + b"30,1250\n" * 20_000
    (tmp_path / "t.csv").write_bytes(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    packed, plain = bytes_needed(tmp_path / "t.csv.gz"), bytes_needed(tmp_path / "t.csv")
    size = (tmp_path / "t.csv.gz").stat().st_size
    assert packed - IMPORTED == 10 * size * (plain - IMPORTED) // len(text)
    assert not fits(tmp_path / "t.csv.gz", IMPORTED + 16 * size)
