"""Long work, done by processes of their own: the job on disk, the runner and worker, the tasks, and
conversations with open releases. No page and no HTML here.
"""
