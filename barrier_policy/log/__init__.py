"""The decision log: hash-chained records without text, and decisions derived again from what was archived with them."""
