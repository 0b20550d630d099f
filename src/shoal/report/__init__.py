"""What releases cost and keep, side by side."""
