"""What is owed: calls and jobs in flight, requests, promises, questions, awaited answers."""
