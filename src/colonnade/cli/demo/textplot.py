"""Curves drawn with characters: Braille dots for what was measured, dashes for what it is held against.

A character is 2 dots wide and 4 high. Every line of the drawing is a list of pieces (text, style); the names
of curves and levels stand at their right ends.
"""

from collections.abc import Sequence
from typing import NamedTuple

from colonnade.cli.demo.axes import decades, rise, spread, ticks
from colonnade.cli.demo.record import Point
from colonnade.cli.numbers import short

Piece = tuple[str, str]

_BLANK = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # rows of a character's two columns
_LEFT = 6  # room for the labels of the error axis
_DIM = "dim"


class Curve(NamedTuple):
    """What a learner did, with its name."""

    name: str
    style: str
    points: Sequence[Point]


class Level(NamedTuple):
    """A line across, with its name."""

    name: str
    style: str
    error: float


class Frame(NamedTuple):
    """What is drawn on: characters across and down, the largest number of events, and the errors shown."""

    width: int
    height: int
    events: float
    lowest: float
    highest: float

    def dot(self, point: Point) -> tuple[int, int]:
        """Return the column and the row of a point's dot; what lies outside is moved to the edge."""
        across, down = 2 * self.width - 1, 4 * self.height - 1
        column = round(across * min(1.0, point.events / self.events))
        row = round(down * (1 - rise(point.error, self.lowest, self.highest)))
        return column, row

    def row(self, error: float) -> int:
        """Return the row of characters that an error falls into."""
        return self.dot(Point(0, error))[1] // 4


def draw(
    curves: Sequence[Curve],
    levels: Sequence[Level],
    size: tuple[int, int],
    events: float,
    errors: tuple[float, float],
) -> list[list[Piece]]:
    """Return the lines of a drawing of a size in characters, across and down, axes and names included.

    The axis of events begins at 0, that of errors is logarithmic.
    """
    names = [curve.name for curve in curves] + [level.name for level in levels]
    right = max(map(len, names)) + 1
    frame = Frame(max(2, size[0] - _LEFT - 1 - right), max(2, size[1] - 3), events, *errors)
    cells = _cells(frame, curves, levels)
    at_right = _names(frame, curves, levels)
    marks = {frame.row(mark): f"{mark:.3f}" for mark in decades(*errors)}
    lines: list[list[Piece]] = [[("error".rjust(_LEFT), _DIM)]]
    for row, line in enumerate(cells):
        axis = f"{marks.get(row, ''):>{_LEFT - 1}} {'┤' if row in marks else '│'}"
        lines.append([(axis, _DIM), *_joined(line), *at_right.get(row, [])])
    return [*lines, *_below(frame)]


def _cells(frame: Frame, curves: Sequence[Curve], levels: Sequence[Level]) -> list[list[Piece]]:
    """Return every character of the plane, with its style."""
    cells: list[list[Piece]] = [[(" ", "")] * frame.width for _ in range(frame.height)]
    for level in levels:
        cells[frame.row(level.error)] = [("╌", level.style)] * frame.width
    for curve in curves:
        for (column, row), dots in _braille(frame, curve.points).items():
            known = ord(cells[row][column][0])
            dots |= known - _BLANK if known >= _BLANK else 0
            cells[row][column] = (chr(_BLANK | dots), curve.style)
    return cells


def _braille(frame: Frame, points: Sequence[Point]) -> dict[tuple[int, int], int]:
    """Return the Braille bits of a line through the points, by column and row of characters."""
    dots = [frame.dot(point) for point in points]
    cells: dict[tuple[int, int], int] = {}
    for (x0, y0), (x1, y1) in zip(dots[:1] + dots, dots, strict=False):
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for i in range(steps + 1):
            x, y = round(x0 + (x1 - x0) * i / steps), round(y0 + (y1 - y0) * i / steps)
            cells[x // 2, y // 4] = cells.get((x // 2, y // 4), 0) | _DOTS[y % 4][x % 2]
    return cells


def _names(frame: Frame, curves: Sequence[Curve], levels: Sequence[Level]) -> dict[int, list[Piece]]:
    """Return the name that stands at the right of each row."""
    shown = [(curve.name, curve.style, curve.points[-1].error) for curve in curves if curve.points]
    shown += [(level.name, level.style, level.error) for level in levels]
    rows = spread([frame.row(error) for _, _, error in shown], gap=1, low=0, high=frame.height - 1)
    return {round(row): [(f" {name}", style)] for row, (name, style, _) in zip(rows, shown, strict=True)}


def _joined(line: Sequence[Piece]) -> list[Piece]:
    """Join neighbours of the same style."""
    joined: list[Piece] = []
    for text, style in line:
        if joined and joined[-1][1] == style:
            joined[-1] = (joined[-1][0] + text, style)
        else:
            joined.append((text, style))
    return joined


def _below(frame: Frame) -> list[list[Piece]]:
    """Return the axis of events and its labels."""
    axis, labels = ["─"] * frame.width, [" "] * (frame.width + 8)
    for tick in ticks(frame.events, most=max(2, frame.width // 10)):
        column = frame.dot(Point(round(tick), 0.0))[0] // 2
        axis[column] = "┬"
        text = short(tick)
        start = max(0, column - len(text) // 2)
        labels[start : start + len(text)] = text
    written = "".join(labels).rstrip()
    return [
        [(" " * _LEFT + "└" + "".join(axis), _DIM)],
        [(" " * (_LEFT + 1) + written + "  events", _DIM)],
    ]
