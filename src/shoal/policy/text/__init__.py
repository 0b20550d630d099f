"""A policy in words: as a TOML file that people like to read, and as plain sentences about what a run will
do. Reading a policy is in `shoal.policy.model.policy`, TOML as such in `shoal.policy.toml`.
"""
