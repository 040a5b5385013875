"""Works with the words in names: `split`, `letters`, `stem`, `synonyms`, and `nearest` for names similar to an unknown one."""
