"""Pictures of a schema and of what a query matches: Mermaid text and SVG."""
