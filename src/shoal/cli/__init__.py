"""The shoal command: main.py declares the options, one file per command does the work by calling the
library. Nothing is computed here that the page or the library would need as well.
"""
