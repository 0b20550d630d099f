"""Levels over the values of a column: the hierarchy itself, read from a file, built from values, and as a
tree to look at. How a policy asks for a hierarchy is in `shoal.policy.model.hierarchy_spec`.
"""
