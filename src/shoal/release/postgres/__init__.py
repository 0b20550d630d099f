"""A release as tables and views of a PostgreSQL schema: types, COPY, translated views, connections. What is
loaded is checked by shoal.release.publish; questions to it are in shoal.query.permuted.postgres.
"""
