"""The decision: spans assessed, actions planned within a budget, reasons and remedies told."""
