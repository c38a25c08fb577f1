"""What a change of policies would change: two sets judge the same spans (design sections 6 and 8)."""
