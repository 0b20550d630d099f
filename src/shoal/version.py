"""The version of shoal, where everything may read it."""

__version__ = "0.1.0"
