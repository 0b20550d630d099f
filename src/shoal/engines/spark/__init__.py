"""The back end on Spark: tasks that read pieces of files and exchange packed Arrow rows. The same file names
as `engines.disk`. Nothing here is imported without Spark being asked for; `shoal.spark` is the door for
users.
"""
