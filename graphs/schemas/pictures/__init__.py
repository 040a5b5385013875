"""Pictures of a schema and of a query's matches, as Mermaid text and as SVG."""
