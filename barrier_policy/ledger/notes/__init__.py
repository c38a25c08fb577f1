"""Sentences and result lines that stand in one place only and that later work may need."""
