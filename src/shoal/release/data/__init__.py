"""The published table as CSV or Parquet: written, read back as a recipient would, and checked byte for byte
for anything that is not the table. No manifest, no folder and no verdict on privacy here.
"""
