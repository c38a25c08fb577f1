"""Carriers: typed records of what a summary may not lose, in a message of the new transcript (design section 5)."""
