"""Fast compilation for tests, and the tables that the proofs print when they are done."""

import os

# Most of the time of these tests is XLA's: thousands of tiny programs that run once. Set before JAX loads.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
    "--xla_cpu_use_fusion_emitters=false",
)


# Lines that tests have found, by the property that they are recorded as; they are printed under these words.
LINES = {
    "mutant": "mutants: wrong rules and wrong cells, each caught by the check that guards its original",
    "malformed": "malformed calls",
    "bits": "the same bits",
    "size": "one kind of learner alone on a Cortex-M4F",
}


def pytest_terminal_summary(terminalreporter):
    rows, costs, parity = {}, [], []
    for report in terminalreporter.getreports("passed"):
        properties = dict(report.user_properties)
        if report.when == "call" and "rule" in properties:
            rows.setdefault(properties["cell"], {})[properties["rule"]] = properties["found"]
        if report.when == "call" and "cost" in properties:
            costs.append(properties["cost"])
        if report.when == "call" and "parity" in properties:
            parity.append(properties["parity"])
    if rows:
        _print_table(terminalreporter, rows)
    if costs:
        _print_costs(terminalreporter, costs)
    if parity:
        _print_parity(terminalreporter, parity)
    _print_lines(terminalreporter)


def _print_lines(out):
    """Print what tests have found, each sort under its own words."""
    found = [line for report in out.getreports("passed") for line in report.user_properties]
    for name, words in LINES.items():
        if lines := sorted({line for of, line in found if of == name}):
            out.section(words)
            for line in lines:
                out.write_line(line)


def _print_parity(out, found):
    """Print a line a network and objective, with how far engine and specification are apart."""
    rows, optimizers = {}, sorted({optimizer for _, _, optimizer, _, _ in found})
    for network, objective, optimizer, predictions, state in found:
        rows.setdefault((network, objective), {})[optimizer] = f"{predictions:.0e} {state:.0e}"
    out.section("engine and specification: largest relative difference of a prediction, and of all else")
    out.write_line(" " * 37 + "".join(f"{optimizer:>16}" for optimizer in optimizers))
    for (network, objective), row in sorted(rows.items()):
        cells = "".join(f"{row.get(optimizer, '·'):>16}" for optimizer in optimizers)
        out.write_line(f"{network:<14}{objective:<23}{cells}")


def _print_costs(out, costs):
    """Print the slopes that were counted."""
    out.section("what a step costs: slopes of log cost against log size")
    out.write_line(f"{'':<54}{'flops':>10}{'bytes':>10}{'memory':>10}")
    for line in sorted(costs):
        out.write_line(line)


def _print_table(out, rows):
    """Print a line a cell, with what each rule was found to be."""
    from proof.cases import all_cases

    rules = [
        rule
        for rule in dict.fromkeys(c.rule_name for c in all_cases())
        if any(rule in f for f in rows.values())
    ]
    rows = {cell: rows[cell] for cell in dict.fromkeys(c.cell_name for c in all_cases()) if cell in rows}
    width = max(len(cell) for cell in rows)
    out.section("what was proven, rules × cells: largest relative error of any step's gradient")
    for at in range(0, len(rules), 5):
        some = rules[at : at + 5]
        out.write_line("")
        out.write_line(" " * width + "".join(f"{rule:>22}" for rule in some))
        for cell, found in rows.items():
            out.write_line(f"{cell:<{width}}" + "".join(f"{found.get(rule, '·'):>22}" for rule in some))
