"""Exact values, who needs them, and what their names read."""
