"""The local page: what the command does, for people who do not type commands."""
