"""`colonnade bench`: how fast things are, beside others that do the same, in one run."""
