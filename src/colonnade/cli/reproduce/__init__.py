"""`colonnade reproduce`: the papers' experiments, run again and judged."""
