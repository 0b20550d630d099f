"""Is a release what it states? The manifest, the fingerprints and signature over it, and the comparison of
every statement with what the files hold. Guarantees are judged in shoal.verify, not here.
"""
