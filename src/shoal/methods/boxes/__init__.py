"""Local recoding: classes whose rows share a box of ranges, labels or sets. `mondrian` and `cluster`, the
cost of a common cell, Mondrian's first cuts of a table beyond memory (`cut_plan`, `cut_questions`,
`cut_tree`), and new rows placed into given boxes (`place_rows`). Full-domain levels are in `levels`,
stars in `stars`.
"""
