"""Testing policies: cases run, measured and mutated, and made from decisions."""
