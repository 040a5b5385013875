"""Opens graphs: loaded graphs, bundled graphs and graphs in your own database."""
