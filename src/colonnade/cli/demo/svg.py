"""The demo's curves as inline SVG: colours come from the page's style sheet."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from colonnade.cli.demo.axes import decades, rise, spread, ticks
from colonnade.cli.demo.record import MOST_POINTS, Point, Record, thin
from colonnade.cli.numbers import short

_LINE = 16.0  # from one line of text to the next


class Sheet(NamedTuple):
    """The size of a drawing, and what its axes show."""

    width: float
    height: float
    events: float
    lowest: float
    highest: float
    left: float = 44.0
    right: float = 116.0
    top: float = 26.0
    bottom: float = 44.0

    def x(self, events: float) -> float:
        """Where so many events are."""
        return self.left + (self.width - self.left - self.right) * min(1.0, events / self.events)

    def y(self, error: float) -> float:
        """Where an error is, on a logarithmic axis; what is too large is drawn at the top."""
        share = rise(error, self.lowest, self.highest)
        return self.height - self.bottom - (self.height - self.top - self.bottom) * share


def drawing(record: Record, size: tuple[float, float], name: str) -> str:
    """Return an SVG element with the class ``name``; lines have the classes c0, c1, zero and best."""
    sheet = Sheet(*size, max(1, record.events), record.lowest, record.highest)
    parts = [
        *_axes(sheet),
        _level(sheet, record.zero, "zero"),
        _level(sheet, record.best, "best"),
        *_curves(sheet, record),
        *_names(sheet, record),
    ]
    said = "; ".join(f"{course.contender.name} ends at {course.error:.4f}" for course in record.courses)
    said += f"; best possible {record.best:.4f}, predicting 0 {record.zero:.4f}"
    return (
        f'<svg class="{name}" viewBox="0 0 {size[0]:g} {size[1]:g}" role="img" '
        f'aria-label="Error against events: {escape(said)}">\n' + "\n".join(parts) + "\n</svg>"
    )


def _axes(sheet: Sheet) -> list[str]:
    parts = [_text(0, 12, "mean squared error to the true return, logarithmic", "axis")]
    for tick in decades(sheet.lowest, sheet.highest):
        y = sheet.y(tick)
        parts.append(f'<path class="grid" d="M{sheet.left:g} {y:.1f}H{sheet.x(sheet.events):.1f}"/>')
        parts.append(_text(sheet.left - 6, y + 4, f"{tick:.3f}", "axis end"))
    for tick in ticks(sheet.events, most=max(2, int(sheet.width / 90))):
        parts.append(_text(sheet.x(tick), sheet.height - sheet.bottom + 18, short(tick), "axis middle"))
    middle = (sheet.left + sheet.x(sheet.events)) / 2
    parts.append(_text(middle, sheet.height - 6, "events", "axis middle"))
    return parts


def _level(sheet: Sheet, error: float, name: str) -> str:
    return f'<path class="{name}" d="M{sheet.left:g} {sheet.y(error):.1f}H{sheet.x(sheet.events):.1f}"/>'


def _curves(sheet: Sheet, record: Record) -> Iterator[str]:
    """Each world's curve, thin, and the means above them."""
    for i, course in enumerate(record.courses):
        yield from (_curve(sheet, p, f"c{i} each", most=150) for p in course.each if record.several)
    yield from (_curve(sheet, course.points, f"c{i}") for i, course in enumerate(record.courses))


def _curve(sheet: Sheet, points: Sequence[Point], name: str, most: int = MOST_POINTS) -> str:
    along = " ".join(f"{sheet.x(p.events):.1f},{sheet.y(p.error):.1f}" for p in thin(points, most))
    return f'<polyline class="{name}" points="{along}"/>'


def _names(sheet: Sheet, record: Record) -> list[str]:
    """The name and the error of each line at its right end."""
    shown = [(c.contender.name, c.error, f"c{i}") for i, c in enumerate(record.courses) if c.points]
    shown += [("predicting 0", record.zero, "zero"), ("best possible", record.best, "best")]
    heights = spread(
        [sheet.y(error) for _, error, _ in shown],
        gap=2.1 * _LINE,
        low=sheet.top,
        high=sheet.height - sheet.bottom,
    )
    x = sheet.x(sheet.events) + 8
    return [
        part
        for (name, error, kind), y in zip(shown, heights, strict=True)
        for part in (_text(x, y, name, f"name {kind}"), _text(x, y + _LINE, f"{error:.4f}", f"name {kind}"))
    ]


def _text(x: float, y: float, said: str, name: str) -> str:
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}">{escape(said)}</text>'
