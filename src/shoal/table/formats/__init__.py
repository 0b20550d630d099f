"""One module for each format of tables that is not text alone, and the registry of all of them.

How text is read is in ``table/files``, databases are in ``table/databases``. A format is a row in
``registry.FORMATS``: whole tables, batches and first rows are read by what stands in it.
"""
