"""The words of names: `split`, `stem`, `synonyms`, and the `nearest` names to a wrong one."""
