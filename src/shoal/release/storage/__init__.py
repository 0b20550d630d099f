"""How files come into being: folders that appear whole or not at all, files for their owner alone, and the
private files and archives made of them. Nothing here knows what a published table looks like.
"""
