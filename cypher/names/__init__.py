"""The words in names: `split`, `letters`, `stem`, `synonyms`, and the `nearest` valid names to an unknown one."""
