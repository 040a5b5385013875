"""How clients connect: stdio and streamable HTTP."""
