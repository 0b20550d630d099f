"""(k,e)-anonymity: quasi values stay, sensitive values are permuted inside groups of records, or swapped by
rank (`min-sum`, `min-max`, `max-groups`, `random`, `rank-swap`).
"""
