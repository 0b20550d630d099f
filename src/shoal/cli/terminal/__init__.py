"""How commands speak to a terminal and are spoken to: output, colours, lost streams, shared options, and
sentences that several commands say. No command lives here.
"""
