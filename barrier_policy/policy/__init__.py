"""Policies: strict YAML and CEL in, one verdict a span out (design sections 6 and 10)."""
