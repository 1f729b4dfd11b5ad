"""`colonnade runs`: what is in a store, one run, settings compared, everything handed on."""
