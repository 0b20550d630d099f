"""Algorithms on arrays, a package per family: aggregates, boxes, levels, stars, permutation, means. Directly
here is only what families share: the demand on sensitive values that searches carry along (`diversity`)
and the result of methods that publish ranges (`ranges`). Methods know no file, no policy and no verifier;
running one on a table is the work of `shoal.anonymizer`, checking it that of `shoal.verify`.
"""
