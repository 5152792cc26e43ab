"""Published releases, judged by today's policy."""
