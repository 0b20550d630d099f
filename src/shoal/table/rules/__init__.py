"""Rules that change rows right after they are read: how cells are spelled, which codes say that nothing is
known, what is prepared. One file for each kind of rule; a rule knows Arrow tables and nothing of policies.
"""
