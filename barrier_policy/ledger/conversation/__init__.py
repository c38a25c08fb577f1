"""The transcript as a conversation: its turns, and what each of them is to the others."""
