"""Sweeps: experiments with many settings and seeds, recorded in a store that survives being killed."""
