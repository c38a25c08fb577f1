"""The readers and extractors that come with barrier_policy. They use the public API and the door that every plugin uses."""
