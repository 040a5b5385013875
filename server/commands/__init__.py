"""The commands of `graphground`, one module each; its function `main(arguments)` returns the exit status."""
