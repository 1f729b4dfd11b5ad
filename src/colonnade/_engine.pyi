"""Types of the compiled engine, which core/python.cpp defines."""

from typing import Literal

def instruction_set() -> Literal["avx512", "avx2", "portable"]: ...
