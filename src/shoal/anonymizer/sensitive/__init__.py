"""Sensitive columns in numbers, as every family hands them to a method: demands on their values, the order
of values, rare confidential values. The verifier has its own in `verify.guarantees`.
"""
