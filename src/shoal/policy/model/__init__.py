"""The policy as frozen classes that check themselves: guarantees, expressions, hierarchies, and every fault
of a policy, alone or beside a table. Nothing is written or proposed here, and no method or verifier is
known.
"""
