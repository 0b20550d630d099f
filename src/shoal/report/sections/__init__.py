"""The sections of a report, each made of sentences, tables and charts (`report.content`). No measuring and
no layout happens here.
"""
