"""The local page: what the command does, for people who do not type commands. Here are the application, its
guard, and what every page needs; pages, jobs and forms have folders. The server process computes nothing.
"""
