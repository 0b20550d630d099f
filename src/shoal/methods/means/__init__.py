"""Microaggregation: groups of near records whose values are replaced by their means. `mdav`, `vmdav`,
`univariate`, `refined`, `kpqr`, `kpqr_paper`, with the kd-tree they search, the demand on rare values,
whole means that keep totals, and the loss (`sse`) and record linkage of a result. Putting columns onto
axes and laying means out is done in `shoal.anonymizer`.
"""
