"""The commands of `graphground`, one module each with a `main(arguments) -> exit status`."""
