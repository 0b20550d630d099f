"""Attackers of tables beyond memory: a `CountedScene` is what they see, and people are counted and not
listed. What needs pairs of people and records is left to the attacks in memory.
"""
