"""The commands of `graphground`, one module each, whose functions are its subcommands."""
