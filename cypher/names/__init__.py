"""The words in names: `split`, `stem`, `synonyms`, and the `nearest` valid names to an unknown one."""
