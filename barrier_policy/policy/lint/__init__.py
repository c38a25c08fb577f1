"""The linter of policies: sources in, findings out, each with a stable rule id and its place."""
