"""Works with the words in names: `split`, `letters`, `stem`, `synonyms`;
`nearest` finds the names similar to a name."""
