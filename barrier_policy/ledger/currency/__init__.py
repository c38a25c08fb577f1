"""What holds now of what was said twice: corrections, and answers of look-ups asked again."""
