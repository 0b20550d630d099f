"""Aggregate SQL over a permuted release, answered with guaranteed bounds."""
