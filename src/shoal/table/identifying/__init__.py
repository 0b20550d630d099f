"""Values that name people: e-mail addresses, phone numbers, numbers with check digits, names, free text.

A file for each kind says which words look like it; arrays go in, counts come out, and no cell leaves. What a
role or a release makes of it is decided elsewhere.
"""
