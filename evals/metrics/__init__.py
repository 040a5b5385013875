"""The metrics, one module each. Every one is a plain function of answers, queries or ranked lists."""
