"""The built-in story: a generated tax table, attacked, published, verified and asked. The command that
tells it lives in `cli`.
"""
