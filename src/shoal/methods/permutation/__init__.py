"""(k,e)-anonymous groups of a sensitive column and the permutation inside them: `min_sum`, `min_max`,
`min_max_exact`, `max_groups`, the baselines `random_groups` and `rank_swap`, and what all partitions
share (`points`, `partition`, `merge_groups`, `group_assignment`). Help tables and bounds of answers are
not here (`shoal.release`, `shoal.query`).
"""
