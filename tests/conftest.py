"""The table of rules × cells that the proof prints when it is done."""

import pytest


@pytest.hookimpl
def pytest_terminal_summary(terminalreporter):
    rows = {}
    for report in terminalreporter.getreports("passed"):
        if report.when == "call":
            properties = dict(report.user_properties)
            if "rule" in properties:
                rows.setdefault(properties["cell"], {})[properties["rule"]] = properties["found"]
    if rows:
        _print_table(terminalreporter, rows)


def _print_table(out, rows):
    """Print a line a cell, with what each rule was found to be."""
    rules = list(dict.fromkeys(rule for found in rows.values() for rule in found))
    width = max(len(cell) for cell in rows)
    out.section("what was proven, rules × cells: largest relative error of any step's gradient")
    for at in range(0, len(rules), 5):
        some = rules[at : at + 5]
        out.write_line("")
        out.write_line(" " * width + "".join(f"{rule:>24}" for rule in some))
        for cell, found in rows.items():
            out.write_line(f"{cell:<{width}}" + "".join(f"{found.get(rule, '·'):>24}" for rule in some))
