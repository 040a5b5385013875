"""The commands of `graphground`, one module each, whose function `main(arguments)` returns the exit status."""
