"""`colonnade demo`: trace patterning learned live, by columns with exact RTRL and by T-BPTT of equal cost."""
