"""Formulas of re-identification risk: prosecutor, journalist, marketer, uniqueness in a population, and
presets. Class sizes, weights and population sizes go in, figures and sentences come out. No published
table is read here and no attacker is simulated: see `adversary.risk_figures` and `adversary`.
"""
