"""Cell suppression: `suppress_cells` stars few cells so that classes show the same (`star_classes`) or every
record matches k (`star_matches`). Suppression of whole records in a lattice is in `levels`.
"""
