"""Makes the learned files of the package from data, each by one command; see the card beside each file."""
