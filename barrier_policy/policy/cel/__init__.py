"""CEL as policies use it: one subset, one type check, two engines that agree on it (design section 10)."""
