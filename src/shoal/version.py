"""The version of shoal, where everything may read it."""

__version__ = "1.0.0rc1"
