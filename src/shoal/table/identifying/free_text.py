"""Free text: cells of many words, nearly all of them different. Whoever writes freely names people."""

import numpy as np

from shoal.table.identifying.detector import Detector, DifferentWords, Found, matching

SENTENCE = r"^\S+(\s+\S+){5}.*\pL{2,}\s+\pL{2,}"
FEWEST = 30  # different texts: answers to choose from are fewer
MOST_ROWS = 2.0  # of one text, on average


def long_texts(words: DifferentWords) -> Found:
    """DifferentWords of six or more parts."""
    passed = matching(words.cells, SENTENCE)
    return Found(np.arange(len(passed)), passed)


FREE_TEXT = (Detector("free text", long_texts, fewest=FEWEST, most_rows=MOST_ROWS),)
