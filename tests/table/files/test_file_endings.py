from shoal.table.files.file_endings import ENDINGS
from shoal.table.formats.registry import FORMATS


def test_every_ending_has_a_format():
    known = {ending for one in FORMATS for ending in one.endings}
    assert {one for one in ENDINGS if one.count(".") == 1} - {".zip"} == known
