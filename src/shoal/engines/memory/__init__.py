"""Tables in memory: one batch, and parts that are views of it."""
