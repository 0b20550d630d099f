"""What `shoal init` writes for a table: guessed roles, proposed hierarchies, and presets with their
thresholds. A draft is a text for the owner to correct; it decides nothing.
"""
