"""`colonnade sweep`: run what isn't there yet of a sweep, in sight, and say what came of it."""
