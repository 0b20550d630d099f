"""What a permuted release has beside its data: the help table and the embedded database, made, made again to
compare, and opened for questions. The SQL itself lives in shoal.query.
"""
