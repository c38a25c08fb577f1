"""What was done: effects with their states, and the words of their receipts."""
