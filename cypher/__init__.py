"""The Cypher front end: from text to a tree, to scopes and types, to what is wrong and what would be right."""
