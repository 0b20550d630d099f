"""Published cells as a recipient reads them: numbers, ranges, stars and words; the classes they form, their
sizes and how far values lie apart. Knows no guarantee and no original.
"""
