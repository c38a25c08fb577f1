"""What is forbidden or demanded, until when, and by what it is replaced."""
