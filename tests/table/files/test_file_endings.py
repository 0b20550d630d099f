from shoal.table.files.file_endings import TEXT
from shoal.table.read import READERS


def test_every_ending_has_a_reader():
    assert {*TEXT, ".parquet"} == set(READERS)
