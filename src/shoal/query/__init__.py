"""Aggregate SQL over a published table, answered with bounds that hold the true answer. Here is what both
kinds of releases share: parsing and its lists, interval arithmetic, printing of trees, the answer.
Folders and manifests are unknown here.
"""
