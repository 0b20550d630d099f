"""A release as tables of a PostgreSQL schema."""
