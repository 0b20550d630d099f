"""What was read of a table goes with it: commands that read many parts collect nothing in between."""

import gc
import weakref

import pyarrow as pa

from shoal.cli.engine import running_engine
from shoal.table.table import Table
from shoal.verify.cells.published_table import BadCells, PublishedTable


def told(published):
    try:
        published.cells("word")
    except BadCells as error:
        return error.fault.what
    return None


def test_a_column_that_holds_words_does_not_hold_its_table():
    gc.disable()
    try:
        published = PublishedTable(Table(pa.table({"word": ["a", "b"]})))
        assert told(published) == told(published)
        left = weakref.ref(published)
        del published
        assert left() is None
    finally:
        gc.enable()


def test_long_work_collects_what_is_left(tmp_path):
    gc.disable()
    try:
        with running_engine("disk", None, tmp_path, None, lambda *_: None):
            assert gc.isenabled()
    finally:
        gc.enable()
