"""What writes summaries: a command, an endpoint, a function, or sentences of the original."""
