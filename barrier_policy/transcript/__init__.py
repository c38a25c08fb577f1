"""Transcripts: read from any of the formats, held as messages, and written back with other messages in them."""
