"""The commands of `graphground`, one module each; the module's function `main(arguments)` returns the exit status."""
