"""What guarantees, methods and words of the trade mean, for readers who do not program."""
