"""Counts and times, written for people."""

MINUTE, HOUR, DAY = 60, 3600, 86_400


def short(count: float) -> str:
    """Write a count in few characters.

    >>> [short(n) for n in (0, 950, 20_000, 1_240_000, 3_000_000)]
    ['0', '950', '20 k', '1.24 M', '3 M']
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g} {letter}"
    return f"{count:.0f}"


def duration(seconds: float) -> str:
    """Write a time in at most two units.

    >>> [duration(s) for s in (0.4, 59.7, 61, 7_260, 90_000)]
    ['0 s', '1 min', '1 min 1 s', '2 h 1 min', '1 d 1 h']
    """
    seconds = round(seconds)
    for size, name, part, of in ((DAY, "d", HOUR, "h"), (HOUR, "h", MINUTE, "min"), (MINUTE, "min", 1, "s")):
        if seconds >= size:
            rest = seconds % size // part
            return f"{seconds // size} {name}" + (f" {rest} {of}" if rest else "")
    return f"{seconds} s"
