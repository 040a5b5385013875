"""Finding entities by meaning: names as vectors, for mentions that spelling does not lead to."""
