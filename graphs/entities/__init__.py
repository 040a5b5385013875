"""The entity index: from a mention in a question to the nodes that it may refer to."""
