"""Attackers of tables beyond memory: people are counted and not listed. What needs pairs of people and
records is left to the attacks in memory.
"""
