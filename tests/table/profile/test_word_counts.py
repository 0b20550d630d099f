import pyarrow as pa

from shoal.table.profile.word_counts import word_counts
from shoal.table.table import Table


def test_blanks_do_not_count_and_missing_is_a_word_of_its_own():
    table = Table(pa.table({"town": ["Ulm", " Ulm", None, "Kiel", "Ulm "]}))
    assert word_counts(table, "town", 10) == {"Ulm": 3, "Kiel": 1, None: 1}


def test_of_many_words_the_most_frequent_are_kept():
    table = Table(pa.table({"age": [1, 2, 2, 3, 3, 3]}))
    assert word_counts(table, "age", 2) == {"3": 3, "2": 2}
