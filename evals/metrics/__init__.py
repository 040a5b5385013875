"""The metrics, one module each: plain functions of answers, queries or ranked lists."""
