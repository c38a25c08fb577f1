"""How people speak: lists of words in 42 languages, and the cues that are read with them."""
