"""Local recoding: every class shows its own labels, ranges and sets (`cluster`, and `mondrian` where columns
hold words). One level for a whole column lives in `levels`.
"""
