"""Long work, done by processes of their own: the page never waits for it."""
