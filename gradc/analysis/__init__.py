"""What is known of a program without running it on a user's numbers."""
